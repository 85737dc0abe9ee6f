"""All pipelines on one page: their steps now and lately, a graph of each, and what reconciliation repaired.

Every part is asked for by itself: one that the database can't answer in time says so, and the others stand.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from jobs.admin.spans import SPANS, hours_of
from jobs.models import Generation, PipelineStep
from jobs.pipelines.declaration import Pipeline
from jobs.pipelines.figures import (
    Ended,
    RepairFigures,
    Span,
    StepFigures,
    by_span,
    by_step,
    ended_lately,
    open_steps,
    repairs_lately,
    span,
)
from jobs.pipelines.reconciling import KINDS
from jobs.pipelines.registry import pipelines
from jobs.schedules.alarms import Late, late
from synops.graph.access import sees_everything
from synops.graph.admin.bases import person
from synops.graph.patience import TookTooLong, patience

if TYPE_CHECKING:
    from django.contrib.admin.options import ModelAdmin

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class StepLine:
    """One step of a pipeline and its figures."""

    name: str
    description: str
    job_types: list[str]
    figures: StepFigures


@dataclass(frozen=True)
class Graph:
    """The chart's points ([seconds], [succeeded], [failed]) and the table behind it."""

    points: list[list[int]]
    spans: list[Span]


@dataclass(frozen=True)
class PipelineCard:
    """One pipeline. `ended_known`, `graph`: False and None where the database did not answer in time."""

    name: str
    description: str
    steps: list[StepLine]
    ended_known: bool
    graph: Graph | None

    @property
    def late(self) -> int:
        return sum(step.figures.late for step in self.steps)


def pipelines_view(owner: ModelAdmin[Any]) -> Callable[[HttpRequest], HttpResponse]:
    """The page."""

    def view(request: HttpRequest) -> HttpResponse:
        user = person(request)
        if not user.has_perm("jobs.view_generation"):
            raise PermissionDenied
        hours = hours_of(request.GET)
        now = asked(lambda cursor: open_steps(cursor, user))
        context = {
            **owner.admin_site.each_context(request),
            "title": _("Pipelines"),
            "opts": owner.opts,
            "cards": [card(user, one, now or {}, hours) for one in pipelines()],
            "now_known": now is not None,
            "repairs": repair_lines(),
            "late": late_schedules(user),
            "spans": SPANS,
            "hours": hours,
            "states": PipelineStep.State,
            "generation_states": Generation.State,
        }
        return TemplateResponse(request, "admin/jobs/pipelines.html", context)

    return view


def asked(question: Callable[[Any], Any]) -> Any:
    """The answer, or None when the database could not give one in time: that is logged, and the page goes on."""
    try:
        with patience(), connection.cursor() as cursor:
            return question(cursor)
    except (TookTooLong, DatabaseError):
        logger.exception("a part of the pipelines' page could not be made")
        return None


def card(user: Any, one: Pipeline, now: dict[tuple[str, str], StepFigures], hours: int) -> PipelineCard:
    ended = asked(lambda cursor: ended_lately(cursor, user, one.name, hours))
    known = by_step(ended or [])
    lines = []
    for step in one.steps:
        figures = now.get((one.name, step.name), StepFigures())
        figures.ended.update(known.get(step.name, {}))
        lines.append(StepLine(step.name, str(step.description), sorted(step.rules), figures))
    return PipelineCard(one.name, str(one.description), lines, ended is not None, graph(ended, hours))


def graph(ended: Sequence[Ended] | None, hours: int) -> Graph | None:
    """None when what ended is not known."""
    if ended is None:
        return None
    spans = by_span(ended)
    return Graph(points(spans, hours), spans)


def points(spans: Sequence[Span], hours: int) -> list[list[int]]:
    """A point for every span, those in which nothing ended too: a gap in a line would look like an unknown."""
    step = int(span(hours).total_seconds())
    by_start = {int(one.since.timestamp()): one for one in spans}
    last = max([*by_start, _floor(timezone.now(), step)])
    starts = range(last - int(hours * 3600) + step, last + 1, step)
    found = [by_start.get(start) for start in starts]
    return [
        list(starts),
        [one.succeeded if one else 0 for one in found],
        [one.failed if one else 0 for one in found],
    ]


def _floor(moment: datetime, step: int) -> int:
    """The start of the span that `moment` lies in, as the database bins them: counted from 2000."""
    origin = 946_684_800
    return origin + (int(moment.timestamp()) - origin) // step * step


def repair_lines() -> list[tuple[Any, RepairFigures]] | None:
    """(in words, figures) of each kind; they name no unit, so everybody who sees the page sees them."""
    found = asked(repairs_lately)
    return None if found is None else [(KINDS.get(one.kind, one.kind), one) for one in found]


def late_schedules(user: Any) -> list[Late]:
    """The alarm of the clock, for those who may see every schedule."""
    return (asked(late) or []) if sees_everything(user) else []
