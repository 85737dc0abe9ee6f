"""The one writer of job_queue: every change of a job's state is a function here, and one SQL statement.

Each takes a cursor (Django's or psycopg's) inside the caller's transaction and returns what it changed. A change is
compare-and-set on (id, status, lease, worker): nothing changed means that someone else got there first.
"""

from __future__ import annotations

from jobs.queue.attempts import append_log, cancelling, drop_log, owned, record_argv, record_progress, waiting
from jobs.queue.changing import cancel, discard, reprioritise, retry, run_now, snooze
from jobs.queue.claiming import INLINE_BATCH, RESERVE_AFTER_SECONDS, ClaimMemory, claim, claim_inline
from jobs.queue.endings import INTERRUPTION_CAP, RESCUE_BATCH, finish, finish_inline, give_back, rescue
from jobs.queue.enqueuing import DuplicateJob, enqueue, enqueue_many, enqueue_unique
from jobs.queue.records import Changed, ClaimedJob, Ended, Finished, Limits, LogText, NewJob, Owned

__all__ = [
    "INLINE_BATCH",
    "INTERRUPTION_CAP",
    "RESCUE_BATCH",
    "RESERVE_AFTER_SECONDS",
    "Changed",
    "ClaimMemory",
    "ClaimedJob",
    "DuplicateJob",
    "Ended",
    "Finished",
    "Limits",
    "LogText",
    "NewJob",
    "Owned",
    "append_log",
    "cancel",
    "cancelling",
    "claim",
    "claim_inline",
    "discard",
    "drop_log",
    "enqueue",
    "enqueue_many",
    "enqueue_unique",
    "finish",
    "finish_inline",
    "give_back",
    "owned",
    "record_argv",
    "record_progress",
    "reprioritise",
    "rescue",
    "retry",
    "run_now",
    "snooze",
    "waiting",
]
