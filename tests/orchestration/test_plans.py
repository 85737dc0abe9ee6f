"""The statements that every step and every round of the steward cost read by index, on tables that are not small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from orchestration import library
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor, load
from tests.plans import filled, read_whole

pytestmark = pytest.mark.sql

FILL = (
    """INSERT INTO orchestration_runs (id, collection_id, title, version, compiled, language, trigger, variables,
                                       chain, status, handled, reason, finished_at)
       SELECT gen_random_uuid(), %(collection)s, 'R', 1, '{"steps": []}', 'nb', '{}', '{}', '{}',
              CASE WHEN n %% 2000 = 0 THEN 'running' ELSE 'completed' END, false, '',
              CASE WHEN n %% 2000 = 0 THEN NULL ELSE now() END
       FROM generate_series(1, 20000) n""",
    """INSERT INTO orchestration_run_steps (run_id, step, alternative, tool, state, finished_at)
       SELECT id, step, 0, 'synops-note', 'succeeded', now() FROM orchestration_runs, generate_series(1, 3) step""",
    """INSERT INTO nodes (node_kind, title, metadata)
       SELECT 'work_item', 'W', jsonb_build_object('status', 'open', 'answerable', true, 'dedupe_key', n::text)
       FROM generate_series(1, 5000) n""",
    """INSERT INTO job_queue (id, collection_node_id, job_type, payload, status, outcome, started_at, completed_at)
       SELECT gen_random_uuid(), %(collection)s, 'note', '{}', 'completed', 'succeeded', now(), now()
       FROM generate_series(1, 5000) n""",
    """INSERT INTO edges (source_id, target_id, edge_type)
       SELECT id, %(collection)s, 'belongs_to' FROM nodes WHERE node_kind = 'work_item'""",
    "UPDATE graph_events SET done_at = now()",  # those of what is seeded: few are undone at a time
    """INSERT INTO graph_events (event, op, node_id, payload, done_at)
       SELECT 'node.created', 'INSERT', gen_random_uuid(), '{}',
              CASE WHEN n %% 10000 = 0 THEN NULL ELSE now() - n * interval '1 minute' END
       FROM generate_series(1, 20000) n""",
)
TABLES = "orchestration_runs, orchestration_run_steps, nodes, edges, graph_events, job_queue"
GROWING = set(TABLES.split(", "))


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cursor]:
    """Finished runs with three steps each, a few that are not over, and open work items."""
    with django_db_blocker.unblock(), filled(FILL, {"collection": SYSTEM_COLLECTION_ID}, TABLES) as cursor:
        yield cursor


ROW = json.dumps([{"run": str(uuid4()), "id": str(uuid4()), "step": 1, "alternative": 0, "n": 0}])
CASES: dict[str, dict[str, Any]] = {
    "recipes": {"ids": [uuid4()]},
    "lock_runs": {"ids": [uuid4()], "commit": None},
    "steps": {"ids": [uuid4()]},
    "circle": {"source": uuid4(), "target": uuid4()},
    "connect": {"source": uuid4(), "edge_type": "tagged", "targets": [uuid4()]},
    "considered": {"rows": "[]"},
    "edited_recipes": {"limit": 100},
    "facts": {"nodes": [uuid4()]},
    "one_event": {"id": 7},
    "open_work_item": {"id": uuid4(), "title": "T", "content": "", "metadata": "{}"},
    "prune_events": {"days": 14, "limit": 50},
    "raise_due": {"zone": "Europe/Oslo"},
    "take_events": {"limit": 500, "settle": 5},
    "write_ledger": {"ended": ROW, "started": "[]", "over": ROW, "lines": "[]"},
    "forgotten_runs": {"limit": 200, "but": []},
    "claim_item": {"id": uuid4(), "by": 1, "name": "x", "seconds": 60},
    "hold_item": {"id": uuid4(), "by": 1, "lease": 1, "seconds": 60},
}


@pytest.mark.parametrize("name", CASES)
def test_no_table_that_grows_is_read_whole(crowd: Cursor, name: str) -> None:
    assert not read_whole(crowd, load("orchestration.sql", name), CASES[name]) & GROWING


@pytest.mark.parametrize(
    ("where", "parameters"),
    [(library.BY_ID, {"ids": [uuid4()]}), (library.BY_EVENT, {"events": ["node.created"]})],
    ids=["by id", "by event"],
)
def test_recipes_are_found_by_index(crowd: Cursor, where: str, parameters: dict[str, Any]) -> None:
    statement = load("orchestration.sql", "candidates").replace("{where}", where)
    assert not read_whole(crowd, statement, parameters) & GROWING
