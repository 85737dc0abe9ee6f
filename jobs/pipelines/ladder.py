"""How often a step is tried, and how long it waits between two tries: the settings PIPELINE_MAX_… and PIPELINE_RETRY_…."""

from __future__ import annotations

from django.conf import settings

ABOVE_THE_CAP = 3
"""Pipeline jobs may be tried oftener than a step: the step's own count ends a unit, never the queue's."""


def cap() -> int:
    """At how many failed tries a step is permanently failed."""
    return int(settings.PIPELINE_MAX_FAILED_ATTEMPTS)


def seconds_after(attempt: int) -> int:
    """How long to wait after the failed try with this number (from 1); the last rung holds for all later ones."""
    rungs = settings.PIPELINE_RETRY_INTERVALS_SECONDS
    return int(rungs[min(attempt, len(rungs)) - 1])


def max_attempts() -> int:
    """The `max_attempts` of a pipeline's jobs."""
    return cap() + ABOVE_THE_CAP
