"""A cursor for what workers run all the time on Django's connection: planning it anew takes longer than running it."""

from __future__ import annotations

from weakref import WeakSet

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper

from synops.store.pooling import PREPARE_AFTER, is_pooled

_known: WeakSet[psycopg.Connection[object]] = WeakSet()
"""Connections that have been asked whether a pooler stands between."""


def preparing_cursor() -> CursorWrapper:
    """A cursor that prepares what it runs often. Django's own writes the values into the statement, which makes it
    another statement each time.
    """
    connection.ensure_connection()
    below: psycopg.Connection[object] = connection.connection
    if below not in _known:
        below.prepare_threshold = None if is_pooled(below) else PREPARE_AFTER
        _known.add(below)
    return connection.make_cursor(psycopg.Cursor(below))  # type: ignore[arg-type]  # (the stubs ask for what it makes)
