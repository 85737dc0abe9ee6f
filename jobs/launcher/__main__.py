"""`python -m jobs.launcher ORDERS`: started by the worker, not by hand; ORDERS is JSON (`launcher.Orders`)."""

from __future__ import annotations

import json
import sys

from jobs.launcher.launcher import Launcher, prepare
from jobs.launcher.orders import Orders

if __name__ == "__main__":
    prepare()
    Launcher(Orders(**json.loads(sys.argv[1]))).serve()
