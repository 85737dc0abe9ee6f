"""Histories of several steps that hypothesis would put together too seldom: each is one step of the machine here.

Without them the model does not notice faults that only such a history shows (test_queue_model.py).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import MultipleResults, multiple, rule

from jobs.queue import INTERRUPTION_CAP, ClaimedJob
from tests.jobs.queue_invariants import ENDINGS, PROGRAMS, RULES
from tests.jobs.queue_machine import QueueMachine

SUCCEEDED = ENDINGS[0]


class QueueHistories(QueueMachine):
    """The machine with these steps too."""

    job_ids, worker_ids = QueueMachine.job_ids, QueueMachine.worker_ids
    leases, inline_leases = QueueMachine.leases, QueueMachine.inline_leases

    @rule(target=leases, job=leases, ending=st.sampled_from([*ENDINGS, None]))
    def an_attempt_ends_when_its_worker_has_the_job_again(
        self, job: ClaimedJob, ending: dict[str, Any] | None
    ) -> MultipleResults[ClaimedJob]:
        """With a result, or given back once more. Only the lease says that it is another attempt."""
        self.a_worker_gives_jobs_back([job])
        claimed = self.claim(job.worker_id, 4, set(PROGRAMS))
        if ending:
            self.results_arrive([(job, ending)])
        else:
            self.a_worker_gives_jobs_back([job])
        return claimed

    @rule(target=inline_leases, job=inline_leases)
    def an_inline_result_comes_when_its_worker_has_the_job_again(self, job: ClaimedJob) -> MultipleResults[ClaimedJob]:
        self.a_worker_gives_jobs_back([job])
        claimed = self.claim_inline(job.worker_id)
        self.inline_results_arrive([(job, ENDINGS[0])])
        return claimed

    @rule(target=inline_leases, worker=worker_ids)
    def an_inline_result_comes_after_the_cancel(self, worker: UUID) -> MultipleResults[ClaimedJob]:
        self.enqueued("inline", priority=10, max_attempts=2)
        claimed = self.claim_inline(worker)
        self.cancel([job.id for job in claimed.values])
        self.inline_results_arrive([(job, SUCCEEDED) for job in claimed.values])
        return claimed

    @rule(target=inline_leases, worker=worker_ids)
    def jobs_of_one_order_key_are_enqueued(self, worker: UUID) -> MultipleResults[ClaimedJob]:
        for priority in (1, 10):
            self.enqueued("inline", priority=priority, order_key="o")
        return self.claim_inline(worker)

    @rule(
        worker=worker_ids,
        max_attempts=st.integers(1, 2),
        retry_on=st.sampled_from(["any", "transient"]),
        by_hand=st.booleans(),
    )
    def first_attempts_fail(self, worker: UUID, max_attempts: int, retry_on: str, by_hand: bool) -> None:
        """And somebody retries the jobs, or leaves them to themselves."""
        self.enqueued("beta", priority=10, max_attempts=max_attempts, retry_on=retry_on)
        for job in self.claim(worker, 4, {"beta"}).values:
            self.results_arrive([(job, {"outcome": "failed"})])
            if by_hand:
                self.retry_by_hand(job.id)

    @rule(
        worker=worker_ids,
        lost_before=st.sampled_from([0, INTERRUPTION_CAP]),
        cancel=st.booleans(),
        given_back=st.booleans(),
    )
    def attempts_are_interrupted(self, worker: UUID, lost_before: int, cancel: bool, given_back: bool) -> None:
        """What the jobs have lost before is moved into their rows, as time is."""
        self.enqueued("beta", priority=10)
        claimed = list(self.claim(worker, 4, set(PROGRAMS)).values)
        for job in claimed:
            self.mine.execute("UPDATE job_queue SET interruptions = %s WHERE id = %s", [lost_before, job.id])
            self.model.jobs[job.id].interruptions = lost_before
            if cancel:
                self.cancel([job.id])
        if given_back:
            self.a_worker_gives_jobs_back(claimed)
        else:
            self.worker_falls_silent(worker)
            self.rescue()

    @rule(target=job_ids, job_type=st.sampled_from(list(RULES)), cancel=st.booleans())
    def a_key_is_wanted_twice(self, job_type: str, cancel: bool) -> MultipleResults[UUID]:
        """By somebody who enqueues; or, after a cancel, by the other and by whoever retries the first."""
        ids = [self.enqueued(job_type, priority=5, dedupe_key="k")]
        if ids[0] and cancel:
            self.cancel([ids[0]])
        ids.append(self.enqueued(job_type, priority=5, dedupe_key="k"))
        if ids[0] and cancel:
            self.retry_by_hand(ids[0])
        return multiple(*(id for id in ids if id))

    @rule(target=leases, worker=worker_ids)
    def a_heavy_job_has_waited_long_while_light_ones_run(self, worker: UUID) -> MultipleResults[ClaimedJob]:
        for _ in range(2):
            self.enqueued("beta", priority=10)
        first = self.claim(worker, 2, {"beta"})
        heavy = self.enqueued("heavy", priority=10)
        self.enqueued("beta", priority=1)
        self.has_waited_long(heavy)
        return multiple(*first.values, *self.claim(worker, 4, set(PROGRAMS)).values)
