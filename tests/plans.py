"""Which tables a statement's plan reads whole: asked on tables that are filled, in a transaction that is undone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection

from synops.store.sql import Cursor


@contextmanager
def filled(statements: Sequence[str], parameters: Mapping[str, Any], tables: str) -> Iterator[Cursor]:
    """A cursor that sees the rows of these statements, counted by ANALYZE; nobody else ever does.

    Neither foreign keys nor triggers are asked: it is about numbers of rows. Values stand in the statement, as with
    Django: a plan must not be the generic one by chance.
    """
    address = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        address.pop(name, None)
    with psycopg.connect(**address, cursor_factory=psycopg.ClientCursor) as own, own.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement, parameters)
        cursor.execute(f"ANALYZE {tables}")
        yield cursor
        own.rollback()


def read_whole(cursor: Cursor, statement: str, parameters: Mapping[str, Any]) -> set[str]:
    """The tables that the statement would read from end to end. It is not run."""
    cursor.execute(f"EXPLAIN (FORMAT JSON, COSTS OFF) {statement}", parameters)
    (document,) = cursor.fetchall()[0]
    plan = json.loads(document) if isinstance(document, str) else document
    return {node["Relation Name"] for node in _nodes(plan[0]["Plan"]) if node["Node Type"].endswith("Seq Scan")}


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)
