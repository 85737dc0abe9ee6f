"""What a person wants done to the graph: a summary, a recipe run, a run cancelled or run again."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext as _

from jobs.models import Job
from jobs.states import Status
from orchestration import acting
from orchestration.manual import CannotRun, Wish
from orchestration.models import Orchestration, Run
from orchestration.reruns import CannotRerun
from synops.graph.models import Edge, Node
from synops.site.api.endpoint import Answer, Call
from synops.site.api.jobs import enqueued, moment
from synops.site.api.problems import Problem, not_found

UNFINISHED = (Status.PENDING, Status.RETRY, Status.RUNNING)
SUMMARIZE = "summarize_communication"


def summarize(call: Call) -> Answer:
    """Have a communication summarised; 409 while a summary of it is in the queue."""
    communication = UUID(call.body["communication_id"])
    user = call.caller.user
    if not Node.objects.visible_to(user).filter(pk=communication, node_kind="communication").exists():
        raise not_found()
    home = (
        Edge.objects.filter(
            source_id=communication,
            edge_type="belongs_to",
            target__in=Node.objects.visible_to(user).filter(node_kind="collection"),
        )
        .order_by("created_at", "id")
        .values_list("target_id", flat=True)
        .first()
    )
    if home is None:
        raise Problem(409, "no_collection", _("The communication is in no collection. Put it into one first."))
    key = f"summarize:{communication}"
    body = {
        "job_type": SUMMARIZE,
        "payload": {"communication_id": str(communication)},
        "priority": 10,
        "dedupe_key": key,
    }
    try:
        return Answer({"job_id": str(enqueued(call.caller, home, body))}, status=202)
    except Problem as problem:
        if problem.code == "duplicate":
            standing = Job.objects.filter(job_type=SUMMARIZE, dedupe_key=key, status__in=UNFINISHED).first()
            problem.extra["job_id"] = str(standing.pk) if standing else None
        raise


def run_recipe(call: Call) -> Answer:
    """Start a recipe by hand, on a node or a collection. Its conditions are not asked: a person has decided."""
    body = call.body
    recipe = UUID(body["orchestration_id"])
    if not Orchestration.objects.visible_to(call.caller.user).filter(pk=recipe).exists():
        raise not_found()
    wish = Wish(
        recipe,
        UUID(body["node_id"]) if body.get("node_id") else None,
        UUID(body["collection_id"]) if body.get("collection_id") else None,
        body.get("input", {}),
        call.caller.user,
    )
    try:
        return Answer({"run_id": str(acting.start(call.caller.user, wish))}, status=202)
    except CannotRun as reason:
        raise Problem(422, "cannot_run", str(reason)) from reason


def one_run(call: Call) -> Answer:
    """A run with its steps."""
    run = Run.objects.visible_to(call.caller.user).filter(pk=call.place["run_id"]).first()
    if run is None:
        raise not_found()
    steps = [
        {
            "step": step.step,
            "alternative": step.alternative,
            "line": step.line,
            "tool": step.tool,
            "state": step.state,
            "reason": step.reason,
            "job_id": str(step.job_id) if step.job_id else None,
            "exit_code": step.exit_code,
            "result": step.result,
            "error": step.error,
        }
        for step in run.steps.order_by("step", "alternative")
    ]
    document = {
        "id": str(run.pk),
        "orchestration_id": str(run.orchestration_id) if run.orchestration_id else None,
        "collection_id": str(run.collection_id),
        "status": run.status,
        "reason": run.reason,
        "trigger": run.trigger,
        "created_at": moment(run.created_at),
        "finished_at": moment(run.finished_at),
        "steps": steps,
    }
    return Answer(document)


def cancel_run(call: Call) -> Answer:
    """Ask a run to stop. 409 when it is over."""
    run = _seen_run(call)
    if not acting.cancel(call.caller.user, run):
        raise Problem(409, "wrong_state", _("The run is over."))
    return Answer({"run_id": str(run)})


def rerun(call: Call) -> Answer:
    """Run it again, whole or from the step that failed; the new run's id."""
    run = _seen_run(call)
    again = acting.continue_from_failed if call.body.get("from_failed_step") else acting.rerun
    try:
        return Answer({"run_id": str(again(call.caller.user, run))}, status=202)
    except CannotRerun as reason:
        raise Problem(409, str(reason), acting.why_not(reason)) from reason


def _seen_run(call: Call) -> UUID:
    run = UUID(call.body["run_id"])
    if not Run.objects.visible_to(call.caller.user).filter(pk=run).exists():
        raise not_found()
    return run
