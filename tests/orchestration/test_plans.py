"""The statements that every step and every round of the steward cost read by index, on tables that are not small."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from synops.store.sql import load
from tests.people import make_collection

pytestmark = [pytest.mark.django_db, pytest.mark.sql]
RUNS = 20_000
ITEMS = 5_000


@pytest.fixture
def crowd():
    """Finished runs with a step each, a few that are not over, and open work items."""
    collection = make_collection("Podcast")
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO orchestration_runs (id, collection_id, title, version, compiled, language, trigger, variables,
                                               chain, status, handled, reason, finished_at)
               SELECT gen_random_uuid(), %s, 'R', 1, '{"steps": []}', 'nb', '{}', '{}', '{}',
                      CASE WHEN n %% 2000 = 0 THEN 'running' ELSE 'completed' END, false, '',
                      CASE WHEN n %% 2000 = 0 THEN NULL ELSE now() END
               FROM generate_series(1, %s) n""",
            [collection.pk, RUNS],
        )
        cursor.execute(
            """INSERT INTO orchestration_run_steps (run_id, step, alternative, tool, state, finished_at)
               SELECT id, 1, 0, 'synops-note', 'succeeded', now() FROM orchestration_runs"""
        )
        cursor.execute(
            """INSERT INTO nodes (node_kind, title, metadata)
               SELECT 'work_item', 'W', jsonb_build_object('status', 'open', 'answerable', true, 'dedupe_key', n::text)
               FROM generate_series(1, %s) n""",
            [ITEMS],
        )
        cursor.execute(
            """INSERT INTO job_queue (id, collection_node_id, job_type, payload, status, outcome, started_at, completed_at)
               SELECT gen_random_uuid(), %s, 'note', '{}', 'completed', 'succeeded', now(), now() FROM generate_series(1, %s)""",
            [collection.pk, ITEMS],
        )
        cursor.execute("ANALYZE orchestration_runs, orchestration_run_steps, nodes, job_queue")


def plan_of(name: str, parameters: dict[str, Any]) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (COSTS OFF) {load('orchestration.sql', name)}", parameters)
        return "\n".join(row[0] for row in cursor.fetchall())


ROW = json.dumps([{"run": str(uuid4()), "id": str(uuid4()), "step": 1, "alternative": 0, "n": 0}])
CASES = {
    "lock_runs": {"ids": [uuid4()], "commit": None},
    "steps": {"ids": [uuid4()]},
    "write_ledger": {"ended": ROW, "started": "[]", "over": ROW, "lines": "[]"},
    "forgotten_runs": {"limit": 200, "but": []},
    "claim_item": {"id": uuid4(), "by": 1, "name": "x", "seconds": 60},
    "hold_item": {"id": uuid4(), "by": 1, "lease": 1, "seconds": 60},
}


@pytest.mark.parametrize("name", CASES)
def test_no_table_that_grows_is_read_whole(crowd, name):
    plan = plan_of(name, CASES[name])
    for table in ("orchestration_runs", "orchestration_run_steps", "job_queue", "nodes"):
        assert f"Seq Scan on {table}" not in plan, plan
