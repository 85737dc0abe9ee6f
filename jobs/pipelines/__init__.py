"""Pipelines: steps over units of work, with claims, a retry ladder, fan-out and an exactly-once fan-in (docs/pipelines.md).

The names here are what an app needs that declares a pipeline.
"""

from __future__ import annotations

from jobs.pipelines.declaration import Misdeclared, Pipeline, Rule, Step, Unit, Work
from jobs.pipelines.opening import AlreadyOpen, Opening, open_unit, open_units
from jobs.pipelines.outcomes import (
    ConfigurationGap,
    Excluded,
    Failed,
    Item,
    Outcome,
    PermanentlyFailed,
    Succeeded,
)
from jobs.pipelines.registry import register

__all__ = [
    "AlreadyOpen",
    "ConfigurationGap",
    "Excluded",
    "Failed",
    "Item",
    "Misdeclared",
    "Opening",
    "Outcome",
    "PermanentlyFailed",
    "Pipeline",
    "Rule",
    "Step",
    "Succeeded",
    "Unit",
    "Work",
    "open_unit",
    "open_units",
    "register",
]
