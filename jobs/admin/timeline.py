"""The life of a job as a line of moments: created, due, each attempt, asked to stop, ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from jobs.display import shown
from jobs.models import Attempt, Job
from synops.graph.admin.rendering import duration


@dataclass(frozen=True)
class Moment:
    """Something that happened. `code` is a state's, for its colour; `gap` is how long after the moment before."""

    code: str
    label: Any
    at: datetime
    gap: str = ""


def timeline(job: Job, attempts: Sequence[Attempt]) -> list[Moment]:
    """What has happened so far, oldest first, with the time in between."""
    moments = sorted(happened(job, attempts), key=lambda moment: moment.at)
    return [with_gap(moment, moments[index - 1].at if index else None) for index, moment in enumerate(moments)]


def with_gap(moment: Moment, before: datetime | None) -> Moment:
    gap = duration(moment.at - before) if before and moment.at - before >= timedelta(milliseconds=1) else ""
    return Moment(moment.code, moment.label, moment.at, gap)


def happened(job: Job, attempts: Sequence[Attempt]) -> Iterator[Moment]:
    yield Moment("pending", _("created"), job.created_at)
    for attempt in attempts:
        if attempt.due_at and attempt.due_at > job.created_at:
            yield Moment("pending", _("due"), attempt.due_at)
        yield Moment("running", _("attempt %(n)d started") % {"n": attempt.attempt}, attempt.started_at)
        if attempt.finished_at and attempt.outcome:
            yield Moment(attempt.outcome, attempt.get_outcome_display(), attempt.finished_at)
    if job.cancel_requested_at:
        yield Moment("cancelling", _("cancel asked for"), job.cancel_requested_at)
    if not attempts and job.started_at:
        yield Moment("running", _("started"), job.started_at)
    if job.completed_at and not any(one.finished_at == job.completed_at for one in attempts):
        state = shown(job.status, job.outcome)
        yield Moment(state.value, state.label, job.completed_at)
