"""How one try at a step can end, as the step's code says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Item:
    """One piece that the next step is to work on. `key` names it among its siblings, `payload` is that step's dataclass."""

    key: str
    payload: Any


@dataclass(frozen=True)
class Succeeded:
    """Done. `result` (JSON) is kept with the step; `items` are what the following steps work on."""

    result: Any = None
    items: Sequence[Item] = ()


@dataclass(frozen=True)
class Failed:
    """This try failed, the next may not: tried again on the ladder, up to the cap."""

    error: str


@dataclass(frozen=True)
class PermanentlyFailed:
    """No try can succeed."""

    error: str


@dataclass(frozen=True)
class Excluded:
    """The unit is not ours to work on, such as one that the source withholds: no error, no counter, not selected again."""

    reason: str


@dataclass(frozen=True)
class ConfigurationGap:
    """Something is not configured or deployed yet: the fault is not the unit's, so nothing is written about it.

    In a unit's first step the generation disappears and selection finds the unit again; in a later one the step waits
    without a job until reconciliation brings it back.
    """

    text: str


Outcome = Succeeded | Failed | PermanentlyFailed | Excluded | ConfigurationGap
