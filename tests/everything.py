"""`make test`: the whole suite on the wheel's PostgreSQL, then what is marked `sql` on the system's, and one closing line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from synops.database.binaries import OLDEST_MAJOR, major_of, system_candidates, version_of
from tests.skips import COUNTS_FILE, may_skip

# Most tests wait for a process or a socket, so that more processes than cores are of use. A file stays together: its
# tests share what they have built. tests/order.py says which files go first.
PROCESSES = ("--numprocesses=4", "--dist=loadfile", "--no-loadscope-reorder", "--durations=30")


def main() -> int:
    total: Counter[str] = Counter()
    failed = run([], {}, total)
    if programs := system_programs():
        print(f"\nOnce more on the system's PostgreSQL, {programs}:", flush=True)
        failed |= run(["-m", "sql and not long"], {"SYNOPS_TEST_POSTGRES_BIN": str(programs)}, total)
    else:
        print("skipped: what is marked sql, on the system's PostgreSQL (Debian package postgresql is missing)")
        total["skipped"] += 1
        failed |= not may_skip()
    print(f"{total['passed']} passed, {total['failed'] + total['error']} failed, {total['skipped']} skipped")
    return int(failed)


def run(options: Sequence[str], env: dict[str, str], total: Counter[str]) -> bool:
    """One pass of pytest, whose counts are added to `total`; True when it failed. A pass without tests has failed."""
    with tempfile.TemporaryDirectory() as directory:
        counts = Path(directory) / "counts"
        command = [sys.executable, "-m", "pytest", "-q", *PROCESSES, *options]
        code = subprocess.run(command, env={**surroundings(), **env, COUNTS_FILE: str(counts)}).returncode
        if counts.exists():
            total.update(json.loads(counts.read_text()))
    return code != 0


#: What tests would hand on: to Python, of which they start hundreds of processes, that it forgets what it has compiled;
#: to make, that it shares the processors of the one that runs the tests.
HINDRANCES = {"PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}


def surroundings() -> dict[str, str]:
    """This environment, as a person's terminal would have it."""
    return {name: value for name, value in os.environ.items() if name not in HINDRANCES}


def system_programs() -> Path | None:
    """The system's own server programs, where they are new enough."""
    for directory in system_candidates():
        version = version_of(directory)
        if version and major_of(version) >= OLDEST_MAJOR:
            return directory
    return None


if __name__ == "__main__":
    sys.exit(main())
