"""Whether a pooler such as PgBouncer stands between us and PostgreSQL: it loses prepared statements."""

from __future__ import annotations

from typing import Any

import psycopg

PREPARE_AFTER = 3
"""A statement that has run so often on a connection is prepared on it."""


def is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """Whether there is a pooler between: it makes up the process id that it tells its client."""
    [pid] = connection.execute("SELECT pg_backend_pid()").fetchone() or [None]
    return bool(pid != connection.info.backend_pid)
