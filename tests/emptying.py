"""Empties the database between tests that commit: only the tables that hold something, and then the seeds again.

Django's own way truncates every table and rebuilds content types and permissions, which costs a second a test.
"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test import TransactionTestCase

from jobs.schedules.seeding import seed_schedules
from jobs.seeds import seed_pipelines
from orchestration.seeds import seed_recipes
from resources.seeds import seed_rules
from synops.graph.seeds import seed_graph

KEPT = frozenset(
    {"django_migrations", "django_content_type", "auth_permission", "auth_group", "auth_group_permissions"}
)


def empty_tables(self: TransactionTestCase) -> None:
    """What TransactionTestCase does after a test, for our one database."""
    with connection.cursor() as cursor:
        tables = [table for table in connection.introspection.table_names(cursor) if table not in KEPT]
        holding = " UNION ALL ".join(f"(SELECT '{table}' FROM {table} LIMIT 1)" for table in tables)
        cursor.execute(holding)
        filled = [table for (table,) in cursor.fetchall()]
        if filled:
            cursor.execute(f"TRUNCATE {', '.join(filled)} RESTART IDENTITY CASCADE")
    seed_graph()
    seed_rules()
    seed_pipelines()
    seed_schedules()
    seed_recipes()


def install(_: Any = None) -> None:
    """Take the place of Django's way."""
    TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[attr-defined]
