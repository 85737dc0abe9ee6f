"""Waiting in tests: for a condition, with a deadline and a name for what did not come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def wait_until(condition: Callable[[], Value], what: str, seconds: float = 60) -> Value:
    """The first true value of `condition()`; fails the test, naming `what`, when none comes in time."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s still not: {what}")
        time.sleep(0.02)
    return value
