"""How the queue's table and its database do: what a dashboard shows, and what raises an alarm before anybody waits.

Age alone never stops or rescues a job; one that is far past its time limit is a sign that its worker is stuck.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from resources.models import DEFAULT_TIMEOUT_SECONDS
from synops.store.sql import Cursor, load

OVERDUE_MARGIN_SECONDS = 300
"""How far past its time limit an attempt is an alarm: the grace, a slow machine and a missed sweep are far less."""

DEAD_ROWS = 20_000
"""Autovacuum takes dead rows from 1,000 on; with twenty times that something holds it back, and claims slow down."""

OLD_TRANSACTION_SECONDS = 300
NOTIFY_QUEUE = 0.1


@dataclass(frozen=True)
class OldestTransaction:
    """The transaction that has been open longest. `pid` is None for a prepared one."""

    pid: int | None
    application: str
    state: str
    seconds: float


@dataclass(frozen=True)
class Overdue:
    """An attempt that runs although its time limit has long passed. Times in seconds."""

    job_id: UUID
    lease: int
    job_type: str
    worker_id: UUID | None
    running_seconds: float
    limit_seconds: int


@dataclass(frozen=True)
class Health:
    """Figures of the queue. Rows are the statistics' estimates; `notify_queue` is how full PostgreSQL's is, 0–1."""

    live_rows: int
    dead_rows: int
    vacuumed_at: datetime | None
    notify_queue: float
    oldest_transaction: OldestTransaction | None
    overdue: tuple[Overdue, ...]

    @property
    def alarms(self) -> tuple[str, ...]:
        """Codes of what a person should look at; `jobs.reasons.HEALTH_ALARMS` has the sentences."""
        oldest = self.oldest_transaction
        found = {
            "dead_rows": self.dead_rows > DEAD_ROWS + self.live_rows // 20,
            "old_transaction": oldest is not None and oldest.seconds > OLD_TRANSACTION_SECONDS,
            "notify_queue": self.notify_queue > NOTIFY_QUEUE,
            "overdue": bool(self.overdue),
        }
        return tuple(code for code, wrong in found.items() if wrong)


def health(cursor: Cursor) -> Health:
    """Measure now; a few milliseconds whatever the size of the tables."""
    cursor.execute(load("jobs.sql", "database_health"), {})
    live, dead, vacuumed, notify, pid, application, state, seconds = cursor.fetchone() or (0, 0, None, 0.0, *[None] * 4)
    oldest = None if seconds is None else OldestTransaction(pid, application, state, seconds)
    return Health(live, dead, vacuumed, notify, oldest, tuple(overdue(cursor)))


def overdue(cursor: Cursor) -> list[Overdue]:
    """The attempts that are far past their time limit, the oldest first, at most 100."""
    limits = {"margin": OVERDUE_MARGIN_SECONDS, "default": DEFAULT_TIMEOUT_SECONDS}
    cursor.execute(load("jobs.sql", "overdue"), limits)
    return [Overdue(*row) for row in cursor.fetchall()]
