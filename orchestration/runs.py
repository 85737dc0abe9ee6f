"""Advances runs: the one function that starts steps, and the only way a run gets from one step to the next.

It is idempotent. It locks the run, reads what its steps and their jobs have become, and does what orchestration.moves
says comes next. The worker calls it when a job has finished, the steward for every unfinished run without a live job;
called twice, late or after a crash it does what is left to do and nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction

from jobs.live.announcer import announce
from jobs.preparing import preparing_cursor
from jobs.queue import NewJob
from orchestration import reports
from orchestration.cascade import CASCADE, Followed, follow
from orchestration.language.plan import ToolCall, WorkItem
from orchestration.ledger import Ledger, Tell, insert_runs
from orchestration.moves import End, Start, Wait, next_move
from orchestration.run_state import WORK_ITEM, NewRun, RunState, Step, lock_runs
from orchestration.states import LogStatus, Reason, StepState
from orchestration.toolbook import ToolBook, Unusable
from orchestration.values import MissingValue, fill, fill_text
from orchestration.work_items import NewItem, open_item
from synops.graph.columns import new_id
from synops.store.sql import Cursor

AUTOMATIC_TAG = "bug"


def advance(run_id: UUID) -> bool:
    """Do what is left to do for a run, in a transaction of its own; False when it is over or there is none.

    Its commit does not wait for the disk. If the server dies first, the next advance does the same again; and a job of
    it can't run unwritten, because the claim's commit does wait, for all that came before it.
    """
    with transaction.atomic(), preparing_cursor() as cursor:
        return bool(advance_runs(cursor, [run_id], promised=False))


def advance_runs(cursor: Cursor, ids: Iterable[UUID], *, promised: bool = True) -> list[UUID]:
    """The same for several, in the caller's transaction; those that were unfinished. `promised`: see lock_runs."""
    runs = lock_runs(cursor, ids, promised=promised)
    _proceed(cursor, runs)
    return [run.id for run in runs]


def start_runs(cursor: Cursor, new: Sequence[NewRun], *, tell: Tell = announce) -> list[UUID]:
    """Start runs with their first jobs, in the caller's transaction; the ids of those that were not there already.

    `tell` is for transactions that are not Django's, where `announce` would speak before the commit.
    """
    runs = [run.state() for run in insert_runs(cursor, new)]
    _proceed(cursor, runs, tell)
    return [run.id for run in runs]


def _proceed(cursor: Cursor, runs: Sequence[RunState], tell: Tell = announce) -> None:
    ledger = Ledger(tell)
    hand = _Hand(cursor, ledger)
    hand.prepare(runs)
    for run in runs:
        ledger.take_over(run)
        hand.proceed(run)
    ledger.write(cursor)
    _cascade(cursor, ledger.completed, tell)


def _cascade(cursor: Cursor, completed: Sequence[RunState], tell: Tell) -> None:
    """Follow the edges of completed runs. It ends: each run's chain is one longer, and its length is limited."""
    ledger, new = Ledger(tell), []
    for run in completed:
        for followed in follow(cursor, run):
            _log_cascade(ledger, run, followed)
            if followed.run is not None:
                new.append(followed.run)
    ledger.write(cursor)
    if new:
        start_runs(cursor, new, tell=tell)


def _log_cascade(ledger: Ledger, run: RunState, followed: Followed) -> None:
    ledger.log(
        run,
        tool_binary=CASCADE,
        status=LogStatus.OK if followed.run else LogStatus.SKIPPED,
        reason=followed.reason,
        result={"target": str(followed.target), "run_id": str(followed.run.id) if followed.run else None},
    )


class _Hand:
    """Does moves, in memory but for work items: those are nodes, and what they say is read from the log."""

    def __init__(self, cursor: Cursor, ledger: Ledger) -> None:
        self._cursor = cursor
        self._ledger = ledger
        self._tools = ToolBook(cursor)

    def prepare(self, runs: Sequence[RunState]) -> None:
        """Have what all their tools say about themselves at hand."""
        for run in runs:
            if run.tools is not None:
                self._tools.know(run.plan.tools(), run.tools)
        self._tools.learn({name for run in runs for name in run.plan.tools()})

    def proceed(self, run: RunState) -> None:
        """Until it waits for a job, or is over."""
        self._settle(run)
        while not isinstance(move := self._next(run), Wait):
            if isinstance(move, End):
                self._end(run, move)
                return
            self._start(run, move)

    def _next(self, run: RunState) -> Wait | Start | End:
        return next_move(run.plan, run.steps, cancelled=run.cancelled, recipe_gone=run.orchestration_id is None)

    def _settle(self, run: RunState) -> None:
        """Record how the current step's job ended."""
        step = run.steps[-1] if run.steps else None
        if step is None or step.job is None or step.job.is_live:
            return
        take_over(step)
        self._ledger.ended(run, step)
        self._ledger.log_step(run, step, self._tools.command(step.tool, step.params))

    def _start(self, run: RunState, move: Start) -> None:
        action = move.action
        if isinstance(action, WorkItem):
            step, job = self._make_item(run, move, action), None
        else:
            step, job = self._call(run, move, action)
        run.steps.append(step)
        self._ledger.started(run, step, job)
        if step.state != StepState.STARTED:
            command = self._tools.command(step.tool, step.params) if isinstance(action, ToolCall) else None
            self._ledger.log_step(run, step, command)

    def _call(self, run: RunState, move: Start, call: ToolCall) -> tuple[Step, NewJob | None]:
        """A step and its job; a step that can't be started has failed before anything ran."""
        step = Step(move.step, move.alternative, call.tool, move.line, move.text, call.job_type, dict(call.params))
        try:
            step.params = self._tools.fitted(call.tool, fill(call.params, run.values()))
            self._tools.stay_inside(call.tool, step.params, run)
        except MissingValue as missing:
            step.fail(Reason.MISSING_VALUE, f"{{{missing.name}}}")
            return step, None
        except Unusable as unusable:
            step.fail(unusable.reason, str(unusable))
            return step, None
        step.job_id = new_id()
        return step, _job(run, step, move)

    def _make_item(self, run: RunState, move: Start, item: WorkItem) -> Step:
        step = Step(move.step, move.alternative, WORK_ITEM, move.line, move.text)
        title = fill_text(item.title, run.values())
        failed = run.last_failure() if move.is_fallback else None
        cause = reports.cause(failed) if failed else f"run:{run.id}:{move.step}"
        id, is_new = self._open(run, title, failed, cause, item.tags)
        step.params = {"title": title, "tags": list(item.tags)}
        step.state, step.result = StepState.SUCCEEDED, {"work_item_id": str(id), "new": is_new}
        return step

    def _end(self, run: RunState, end: End) -> None:
        if end.report:
            failed = run.last_failure()
            cause = reports.cause(failed) if failed else "unknown"
            id, is_new = self._open(run, reports.title(run, failed), failed, cause, [AUTOMATIC_TAG])
            result = {"work_item_id": str(id), "new": is_new}
            self._ledger.log(run, tool_binary=WORK_ITEM, status=LogStatus.OK, result=result)
        self._ledger.over(run, end)

    def _open(
        self, run: RunState, title: str, failed: Step | None, cause: str, tags: Sequence[str]
    ) -> tuple[UUID, bool]:
        command = self._tools.command(failed.tool, failed.params) if failed else None
        log = reports.last_log_lines(self._cursor, failed.job_id if failed else None)
        item = NewItem(
            collection_id=run.collection_id,
            title=title,
            content=reports.report(run, failed, command, log),
            dedupe_key=f"{run.orchestration_id}:{cause}",
            tags=tags,
            sources=[id for id in (run.orchestration_id, run.node_id) if id],
            chain=run.chain,
            details={
                "orchestration_id": str(run.orchestration_id or ""),
                "run_id": str(run.id),
                "step": run.number(failed.step) if failed else None,
                "cause": cause,
                # A failure is answered with a better script; an item that a step made is for people.
                "answerable": failed is not None,
            },
        )
        return open_item(self._cursor, item)


def take_over(step: Step) -> None:
    """Copy the end of a step's job: the job's row will be deleted one day, the step's stays."""
    job = step.job
    if job is None or job.status is None:
        step.fail(Reason.JOB_GONE, "")
        return
    step.result, step.error, step.exit_code = job.result, job.error, job.exit_code
    step.started_at, step.finished_at = job.started_at, job.completed_at
    if job.outcome == "succeeded":
        step.state = StepState.SUCCEEDED
    elif job.outcome == "excluded":
        step.state, step.reason = StepState.EXCLUDED, Reason.EXCLUDED.value
    elif job.outcome == "cancelled":
        step.state, step.reason = StepState.CANCELLED, Reason.CANCELLED.value
    else:
        step.fail(Reason.JOB_FAILED, job.error)


def _job(run: RunState, step: Step, move: Start) -> NewJob:
    return NewJob(
        id=step.job_id or new_id(),
        collection_id=run.collection_id,
        job_type=step.job_type,
        payload=step.params,
        priority=run.priority,
        run_id=run.id,
        chain=run.chain,
        # With another alternative to try, waiting for backoff would only delay it: only passing trouble is retried.
        retry_on="transient" if move.has_fallback else "any",
    )
