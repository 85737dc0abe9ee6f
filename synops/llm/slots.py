"""How many calls a machine makes at once: numbered lock files, shared by all its programs, and freed by death.

A counter in a file would stay too high after a crash; the kernel drops a dead process's flock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from synops.llm.endpoint import Endpoint
from synops.llm.failures import NotUsable

PIPELINE: Final = "pipeline"
POLL_SECONDS: Final = 0.1


@contextlib.contextmanager
def slot(endpoint: Endpoint, lane: str = "") -> Iterator[float]:
    """Hold one of the machine's slots; gives the seconds that were waited for it. Raises NotUsable.

    A pipeline's call takes one of the pipelines' slots first, so that pipelines never hold all of the common ones.
    """
    began = time.monotonic()
    with contextlib.ExitStack() as held:
        if lane == PIPELINE:
            held.enter_context(_one_of(endpoint.slots, PIPELINE, endpoint.pipeline_max_concurrent))
        held.enter_context(_one_of(endpoint.slots, "slot", endpoint.max_concurrent))
        yield time.monotonic() - began


@contextlib.contextmanager
def _one_of(folder: Path, name: str, count: int) -> Iterator[None]:
    descriptor = _try_all(folder, name, count)
    while descriptor is None:
        time.sleep(POLL_SECONDS)
        descriptor = _try_all(folder, name, count)
    try:
        yield
    finally:
        os.close(descriptor)


def _try_all(folder: Path, name: str, count: int) -> int | None:
    """A descriptor that holds the first free lock, or None."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, count + 1):
            descriptor = os.open(folder / f"{name}-{number}", os.O_RDWR | os.O_CREAT, 0o660)
            if _locked(descriptor):
                return descriptor
            os.close(descriptor)
    except OSError as error:
        raise NotUsable(f"the model's slots in {folder} can't be used: {error.strerror}. Check SYNOPS_VAR.") from error
    return None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
