"""`manage.py check` of the pipelines' settings: each finding has an id, a reason and a way out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from jobs.pipelines.registry import seed_values
from jobs.schedules import CronRefused, check

POSITIVE = (
    "PIPELINE_MAX_CASES_PER_TICK",
    "PIPELINE_DOCUMENT_TIMEOUT_SECONDS",
    "PIPELINE_EVALUATION_TIMEOUT_SECONDS",
    "PIPELINE_MAX_FAILED_ATTEMPTS",
    "PIPELINE_LLM_MAX_CONCURRENT",
    "PIPELINE_STALE_IN_PROGRESS_MINUTES",
)


@register()
def check_numbers(**_: Any) -> list[CheckMessage]:
    """synops.E030: numbers that must be positive; the number of tries is a smallint."""
    found: list[CheckMessage] = [
        Error(f"{name} is {getattr(settings, name)}.", hint="It must be at least 1.", id="synops.E030")
        for name in POSITIVE
        if getattr(settings, name) < 1
    ]
    if settings.PIPELINE_MAX_FAILED_ATTEMPTS > 1000:
        found.append(Error("PIPELINE_MAX_FAILED_ATTEMPTS is above 1000.", hint="Its default is 5.", id="synops.E030"))
    return found


@register()
def check_ladder(**_: Any) -> list[CheckMessage]:
    """synops.E031: a ladder without rungs, or with one that is no waiting time."""
    rungs = settings.PIPELINE_RETRY_INTERVALS_SECONDS
    if rungs and all(rung >= 1 for rung in rungs):
        return []
    return [
        Error(
            f"PIPELINE_RETRY_INTERVALS_SECONDS is {rungs}.",
            hint="Name at least one number of seconds, such as 30,120,300.",
            id="synops.E031",
        )
    ]


@register()
def check_stale_after(**_: Any) -> list[CheckMessage]:
    """synops.E032: reconciliation must not touch what may still be waiting or running."""
    shortest = max([*settings.PIPELINE_RETRY_INTERVALS_SECONDS, 0]) + longest_timeout()
    if shortest <= settings.PIPELINE_STALE_AFTER_SECONDS:
        return []
    return [
        Error(
            f"PIPELINE_STALE_AFTER_SECONDS is {settings.PIPELINE_STALE_AFTER_SECONDS}, but a step may wait and run for "
            f"{shortest} seconds.",
            hint="Set it to at least the longest of PIPELINE_RETRY_INTERVALS_SECONDS plus the longest time limit.",
            id="synops.E032",
        )
    ]


def longest_timeout() -> int:
    """The longest time limit of a pipeline's step, in seconds."""
    own: list[int] = [settings.PIPELINE_DOCUMENT_TIMEOUT_SECONDS, settings.PIPELINE_EVALUATION_TIMEOUT_SECONDS]
    return max(own + [rule["timeout_seconds"] for rule in seed_values().values()])


@register()
def check_cron(**_: Any) -> list[CheckMessage]:
    """synops.E033: a line that never ticks."""
    try:
        check(settings.PIPELINE_RECONCILIATION_CRON)
    except CronRefused as refused:
        return [
            Error(
                f"PIPELINE_RECONCILIATION_CRON: {refused}",
                hint="Its default is */10 * * * *, which is used until then.",
                id="synops.E033",
            )
        ]
    return []
