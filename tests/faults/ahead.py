"""`python -m tests.faults.ahead SECONDS COMMAND…`: manage.py in a process whose clock is wrong by so many seconds.

Only the time of day: what measures durations is left alone, as on a machine whose clock somebody has set.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import time_machine

from synops.command_line import main

if __name__ == "__main__":
    ahead = timedelta(seconds=float(sys.argv.pop(1)))
    sys.argv[0] = "manage.py"
    with time_machine.travel(datetime.now(UTC) + ahead, tick=True):
        main(sys.argv)
