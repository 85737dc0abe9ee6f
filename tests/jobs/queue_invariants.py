"""The small world in which queue and model are compared, and what must hold after every step, whatever it was."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import psycopg
from hypothesis.stateful import RuleBasedStateMachine, invariant

from tests.jobs.queue_model import ModelJob, QueueModel, Rule

RULES = {"alpha": Rule(1, 2), "beta": Rule(2, 0), "heavy": Rule(5, 1), "inline": Rule(0, 3, inline=True)}
TTL = 30
PROGRAMS = [name for name, rule in RULES.items() if not rule.inline]
ENDINGS: list[dict[str, Any]] = [
    *[{"outcome": "succeeded"}] * 4,  # most jobs succeed
    {"outcome": "failed"},
    {"outcome": "failed", "permanent": True},
    {"outcome": "failed", "transient": True},
    {"outcome": "timed_out"},
    {"outcome": "excluded"},
    {"outcome": "cancelled"},
    {"outcome": "lost", "transient": True},
]

ROWS = """
SELECT id, status::text, outcome, lease, worker_id, attempts, max_attempts, interruptions,
       cancel_requested_at IS NOT NULL, result::text
FROM job_queue
"""
BROKEN = {
    "an attempt is open exactly while its job runs": """
        SELECT q.id FROM job_queue q
        LEFT JOIN job_attempts a ON a.job_id = q.id AND a.finished_at IS NULL
        WHERE q.job_type <> 'inline' AND (q.status = 'running') <> (a.id IS NOT NULL) OR a.lease <> q.lease""",
    "a completed job has one attempt that completed it, its last": """
        SELECT q.id FROM job_queue q JOIN job_attempts a ON a.job_id = q.id
        WHERE (a.lease = q.lease AND q.status = 'completed') <> (a.outcome IN ('succeeded', 'excluded'))""",
    "no more attempts were started than leases were given": "SELECT id FROM job_queue WHERE attempts > lease",
    "no attempt is beyond the last allowed one": "SELECT id FROM job_queue WHERE attempts > max_attempts",
    "an attempt does not end before it begins": "SELECT id FROM job_attempts WHERE finished_at < started_at",
}


class Invariants(RuleBasedStateMachine):
    """`mine` is a connection that sees what is committed; a retry by hand takes its job out of `ended_rows`."""

    mine: psycopg.Connection[Any]
    model: QueueModel
    ended_rows: dict[UUID, tuple[Any, ...]]

    @invariant()
    def rows_are_what_the_model_says(self) -> None:
        rows = {id: values for id, *values in self.mine.execute(ROWS).fetchall()}
        assert rows.keys() == self.model.jobs.keys(), "a job was lost, or came from nowhere"
        for id, job in self.model.jobs.items():
            *seen, result = rows[id]
            assert (*seen, None if result is None else json.loads(result)) == job.visible
            assert job.lease == job.attempts + job.lost, "each lease was an attempt that counts or an interruption"

    @invariant()
    def limits_hold(self) -> None:
        running = self.model.with_status("running")
        for name, limits in RULES.items():
            assert not limits.most or sum(job.new.job_type == name for job in running) <= limits.most
        for machine in set(self.model.machines.values()):
            assert self.weight_on(machine, running) <= self.model.budget

    def weight_on(self, machine: str, running: list[ModelJob]) -> int:
        here = [job for job in running if job.worker and self.model.machines[job.worker] == machine]
        return sum(RULES[job.new.job_type].weight for job in here)

    @invariant()
    def nothing_is_broken(self) -> None:
        for what, statement in BROKEN.items():
            assert self.mine.execute(statement.encode()).fetchall() == [], what

    @invariant()
    def finished_stays_finished(self) -> None:
        rows = self.mine.execute(
            "SELECT id, outcome, completed_at, error_msg FROM job_queue WHERE status IN ('completed', 'error')"
        )
        now = {id: tuple(values) for id, *values in rows.fetchall()}
        assert all(now.get(id) == values for id, values in self.ended_rows.items())
        self.ended_rows = now
