"""Keeps PostgreSQL from compiling our statements: recursive ones are estimated too dear, and JIT then takes seconds."""

from __future__ import annotations

from synops.store.sql import Cursor


def without_jit(cursor: Cursor) -> None:
    """For the rest of this transaction; the session is left as it was, so a pooler may hand it on."""
    cursor.execute("SELECT set_config('jit', 'off', true)")
