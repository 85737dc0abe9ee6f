"""`python -m jobs.launcher CONTROL_FD WORKER_PID SLOTS RECYCLE_AFTER`: started by the worker, not by hand."""

from __future__ import annotations

import socket
import sys

from jobs.launcher.launcher import Launcher, prepare


def main() -> None:
    control, worker, slots, recycle_after = map(int, sys.argv[1:])
    prepare()
    Launcher(socket.socket(fileno=control), worker, recycle_after).serve(slots)


if __name__ == "__main__":
    main()
