"""The product's settings with one more app: the job type that does nothing."""

from __future__ import annotations

from synops.settings import *  # noqa: F403
from synops.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.benchmarks.noop"]
