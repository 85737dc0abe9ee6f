"""The real queue against its model, step by step, with workers that die between any two steps and come back late.

Hypothesis chooses the steps. After each one every row must be what the model says, and no invariant may be broken.
`MODEL_EXAMPLES=2000 pytest tests/jobs/test_queue_model.py` looks further, with steps that are new each time.

That all this can fail is shown by faults: each is a statement with one condition gone, and the model must notice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import run_state_machine_as_test

from jobs.queue import changing, claiming, endings, enqueuing
from synops.store.sql import load
from tests.jobs.queue_histories import QueueHistories

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

EXAMPLES = int(os.environ.get("MODEL_EXAMPLES", "15"))
PARTS = (changing, claiming, endings, enqueuing)


@dataclass(frozen=True)
class Fault:
    """A mistake in a statement of jobs/sql: what stands there, and what somebody wrote instead."""

    statement: str
    right: str
    wrong: str

    def put_in(self, text: str) -> str:
        assert self.right in text, f"{self.statement}.sql does not say this any more: {self.right}"
        return text.replace(self.right, self.wrong)


def without(statement: str, condition: str) -> Fault:
    return Fault(statement, condition, "")


CANCELLED_FIRST = "WHEN q.cancel_requested_at IS NOT NULL THEN 'cancelled'"
FAULTS: dict[str, list[Fault]] = {
    "a result counts under an old lease": [
        without("finish", "e.lease = q.lease AND "),
        Fault("finish", "JOIN ended e USING (id, lease)", "JOIN ended e USING (id)"),
    ],
    "an inline result counts under an old lease": [without("finish_inline", "q.lease = e.lease AND ")],
    "a result forgets that the job was to be cancelled": [without("finish", "q.cancel_requested_at IS NOT NULL OR ")],
    "a failure is tried again beyond the last attempt": [without("finish", " OR q.attempts >= q.max_attempts")],
    "a rescue takes jobs of living workers": [
        Fault("rescue", "w.heartbeat_at >= now() - make_interval(secs => %(ttl)s)", "false")
    ],
    "a rescue trusts a worker that is silent": [
        without("rescue", "AND w.heartbeat_at >= now() - make_interval(secs => %(ttl)s)")
    ],
    "a rescue revives a cancelled job": [
        without("rescue", "q.cancel_requested_at IS NULL AND "),
        without("rescue", CANCELLED_FIRST),
    ],
    "a rescue burns an attempt": [Fault("rescue", "greatest(q.attempts - 1, 0)", "q.attempts")],
    "giving back needs no lease": [Fault("give_back", "g.lease = q.lease AND g.worker = q.worker_id", "true")],
    "giving back burns an attempt": [Fault("give_back", "greatest(q.attempts - 1, 0)", "q.attempts")],
    "giving back revives a cancelled job": [
        Fault("give_back", "q.cancel_requested_at IS NULL", "true"),
    ],
    "a retry forgets that the attempts are used up": [
        Fault("retry", "greatest(q.max_attempts, q.attempts + 1)", "q.max_attempts")
    ],
    "a retry revives what is completed": [Fault("retry", "('error', 'retry')", "('error', 'retry', 'completed')")],
    "a cancel ends what is completed": [Fault("cancel", "('pending', 'retry')", "('pending', 'retry', 'completed')")],
    "a claim does not raise the lease": [Fault("claim", "lease = q.lease + 1", "lease = q.lease")],
    "a claim ignores the limit of a type": [
        Fault("admission", "least(%(slots)s, r.max_concurrent - coalesce(u.n, 0))", "%(slots)s")
    ],
    "a claim ignores the weight of what runs": [
        Fault("fitting", "coalesce((SELECT sum(weight) FROM running), 0)::bigint", "0")
    ],
    "a claim counts the weight of other machines": [without("admission", " FILTER (WHERE w.machine = %(machine)s)")],
    "a claim takes what is not due": [without("admission", "AND q.scheduled_for <= now() ")],
    "a claim ignores priorities": [without("admission", "d.rank DESC, ")],
    "a claim lets light jobs pass a heavy one for ever": [
        Fault("fitting", "o.weight > f.weight_left AND o.weight <= %(budget)s", "false")
    ],
    "an inline claim ignores order keys": [Fault("in_order", "w.order_key IS NULL OR first.id = w.id", "true")],
    "an inline result forgets that the job was to be cancelled": [
        without("finish_inline", " AND q.cancel_requested_at IS NULL")
    ],
    "any failure is tried again": [Fault("finish", "q.retry_on = 'transient' AND NOT e.transient", "false")],
    "a job may lose any number of workers": [Fault("rescue", "q.interruptions < %(cap)s", "true")],
    "a key is not looked at when a job is enqueued": [
        Fault("enqueue_one", "%(dedupe_key)s::text, %(run_id)s", "NULL, %(run_id)s")
    ],
    "a key is not looked at when a job is retried": [Fault("retry", "other.dedupe_key = q.dedupe_key", "false")],
}


def run(connect: Any, **options: Any) -> None:
    """Let hypothesis look for a step after which queue and model differ."""
    QueueHistories.connections = (connect(), connect())
    run_state_machine_as_test(
        QueueHistories,
        settings=settings(
            stateful_step_count=80,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            **options,
        ),
    )


def test_the_queue_does_what_its_model_does_whatever_dies_and_comes_back_late(connect):
    run(connect, max_examples=EXAMPLES, derandomize="MODEL_EXAMPLES" not in os.environ)


@pytest.fixture
def faulty(monkeypatch) -> Iterator[Callable[[Sequence[Fault]], None]]:
    """Lets every statement have these faults; the claims are put together anew."""

    def put(faults: Sequence[Fault]) -> None:
        def load_faulty(package: str, name: str) -> str:
            return reduce(
                lambda text, fault: fault.put_in(text), (f for f in faults if f.statement == name), load(package, name)
            )

        for part in PARTS:
            monkeypatch.setattr(part, "load", load_faulty)

    forget_claims()
    yield put
    monkeypatch.undo()
    forget_claims()


def forget_claims() -> None:
    claiming.claim_statement.cache_clear()
    claiming.claim_inline_statement.cache_clear()


@pytest.mark.long
@pytest.mark.parametrize("what", FAULTS)
def test_the_model_notices_that(what, faulty, connect):
    faulty(FAULTS[what])
    with pytest.raises((AssertionError, psycopg.Error, Flaky)):
        run(connect, max_examples=300, derandomize=True, phases=[Phase.generate], report_multiple_bugs=False)
