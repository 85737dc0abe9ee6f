"""What the page of one job shows: payload, result, attempts with command and log, and where it comes from."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from jobs.admin.columns import ran_for, state_of
from jobs.admin.job_log import attempt_text
from jobs.admin.timeline import timeline
from jobs.display import Shown
from jobs.models import Attempt, Job, LogChunk
from jobs.reasons import attempt_reason, waiting_sentence
from jobs.states import WAITING, Status
from jobs.waiting import Conditions, Reason, why_waiting
from resources.disk import full_machines
from resources.governor import live_calls
from synops.graph.admin.rendering import duration, pretty
from synops.graph.models import Node
from synops.store.masking import mask_argv

if TYPE_CHECKING:
    from synops.graph.access import Viewer


EARLIEST_GUESS = 0.05


@dataclass(frozen=True)
class AttemptLine:
    """One attempt as a row of the page."""

    attempt: Attempt
    state: Shown
    reason: str
    command: str
    waited: str
    took: str
    has_log: bool


@dataclass(frozen=True)
class Obstacle:
    """One reason why the job waits, with the jobs behind it that the reader may see."""

    sentence: str
    jobs: list[Job]


def page_context(job: Job, user: Viewer) -> dict[str, Any]:
    """Everything the template needs beyond the job itself."""
    lines = attempt_lines(job)
    newest = attempt_text(job)
    return {
        "job": job,
        "state": state_of(job),
        "collection": Node.objects.filter(pk=job.collection_node_id).only("title", "node_kind").first(),
        "duration": duration(ran_for(job)),
        "payload": pretty(job.payload),
        "result": pretty(job.result),
        "lines": lines,
        "current": lines[-1] if lines else None,
        "moments": timeline(job, [line.attempt for line in lines]),
        "log": newest,
        "percent": percent(job, lines),
        "left": left(job, lines),
        "obstacles": obstacles(job, user) if job.status in WAITING else [],
    }


def obstacles(job: Job, user: Viewer) -> list[Obstacle]:
    """Why the job waits."""
    with connection.cursor() as cursor:
        reasons = why_waiting(cursor, job.pk, conditions_now(cursor))
    return [Obstacle(waiting_sentence(reason), list(_named(reason, user))) for reason in reasons]


def conditions_now(cursor: Any) -> Conditions:
    """What the governor of this installation says, for the page and the API alike."""
    return Conditions(
        ttl_seconds=settings.WORKER_TTL_SECONDS,
        live_call=live_calls(cursor, settings.LIVE_CALL_MAX_HOURS).current > 0,
        live_call_weight=settings.LIVE_CALL_WEIGHT,
        disk_full=full_machines(cursor),
    )


def _named(reason: Reason, user: Viewer) -> QuerySet[Job]:
    """The jobs that a reason names, cut to those that the reader may see."""
    facts = reason.facts
    ids = [*facts.get("running", []), *facts.get("held_by", [])]
    ids += [facts[key] for key in ("for", "after") if key in facts]
    return Job.objects.visible_to(user).filter(pk__in=ids).only("id", "job_type")


def attempt_lines(job: Job) -> list[AttemptLine]:
    """The attempts, oldest first."""
    logged = set(LogChunk.objects.filter(job=job).values_list("lease", flat=True).distinct())
    return [attempt_line(attempt, attempt.lease in logged) for attempt in job.attempt_rows.order_by("lease")]


def percent(job: Job, lines: list[AttemptLine]) -> int | None:
    """How far a running job says that it is."""
    progress = lines[-1].attempt.progress if lines and job.status == Status.RUNNING else None
    return None if progress is None else round(progress * 100)


def left(job: Job, lines: list[AttemptLine]) -> str:
    """How long it still takes if it goes on as it has; nothing before a twentieth is done, which is too little to tell."""
    so_far, progress = ran_for(job), lines[-1].attempt.progress if lines and job.status == Status.RUNNING else None
    if so_far is None or progress is None or not EARLIEST_GUESS <= progress < 1:
        return ""
    return duration(so_far * ((1 - progress) / progress))


def attempt_line(attempt: Attempt, has_log: bool) -> AttemptLine:
    waited = attempt.started_at - attempt.due_at if attempt.due_at else None
    took = attempt.finished_at - attempt.started_at if attempt.finished_at else None
    return AttemptLine(
        attempt=attempt,
        state=Shown(attempt.outcome) if attempt.outcome else Shown.RUNNING,
        reason=attempt_reason(attempt.reason),
        command=shlex.join(mask_argv([str(part) for part in attempt.argv])) if attempt.argv else "",
        waited=duration(waited),
        took=duration(took),
        has_log=has_log,
    )
