"""The statements of pipelines, cases and schedules find their rows by index, however many units have ended.

Each .sql file beside their code is looked at, or stands here among those that read all of a table on purpose.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import resources
from typing import Any
from uuid import uuid4

import pytest

from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor, load
from tests.plans import filled, read_whole

pytestmark = pytest.mark.sql

FILL = (
    """INSERT INTO pipeline_generations (pipeline, unit, generation, collection_node_id, cause, state, created_at, finished_at)
       SELECT 'cases', 'c' || n, 1, %(collection)s, CASE WHEN n %% 10 = 0 THEN 'bulk' ELSE 'selected' END,
              CASE WHEN n %% 4000 = 0 THEN 'running' ELSE 'succeeded' END, now() - n * interval '1 minute',
              CASE WHEN n %% 4000 <> 0 THEN now() - n * interval '1 minute' END
       FROM generate_series(1, 40000) n""",
    """INSERT INTO pipeline_steps (pipeline, unit, generation, step, item, collection_node_id, state, job_id, created_at,
                                   updated_at, finished_at)
       SELECT g.pipeline, g.unit, 1, CASE k WHEN 0 THEN 'fetch' WHEN 3 THEN 'evaluate' ELSE 'extract' END, k::text,
              g.collection_node_id, CASE WHEN g.finished_at IS NULL AND k > 0 THEN 'pending' ELSE 'succeeded' END,
              gen_random_uuid(), g.created_at, g.created_at,
              CASE WHEN g.finished_at IS NOT NULL OR k = 0 THEN g.created_at END
       FROM pipeline_generations g, generate_series(0, 3) k WHERE g.id %% 4 = 0""",
    """INSERT INTO job_queue (id, collection_node_id, job_type, payload, status, outcome, started_at, completed_at)
       SELECT s.job_id, %(collection)s, 'case_extract', '{}',
              (CASE WHEN s.state = 'pending' THEN 'pending' ELSE 'completed' END)::job_status,
              CASE WHEN s.state <> 'pending' THEN 'succeeded' END, s.created_at, s.finished_at
       FROM pipeline_steps s WHERE s.id %% 2 = 0""",
    """INSERT INTO pipeline_repairs (pipeline, kind, repaired, created_at)
       SELECT 'cases', 'reclaimed', 1, now() - n * interval '1 hour' FROM generate_series(1, 10000) n""",
    "INSERT INTO case_schemes (key, name, active) VALUES ('heat-pump', 'Varmepumpe', true)",
    "INSERT INTO case_statuses (key, name, qualifying) VALUES ('complete', 'Klar', true)",
    """INSERT INTO case_files (number, title, scheme_id, status_id, received_on, state, generation)
       SELECT g.unit, 'Sak', 'heat-pump', 'complete', current_date,
              CASE WHEN g.id %% 500 = 0 THEN '' WHEN g.id %% 300 = 0 THEN 'permanently_failed' ELSE 'succeeded' END, 1
       FROM pipeline_generations g WHERE g.id %% 4 = 0""",
    """INSERT INTO case_documents (case_id, key, position, name, size, cas_hash, extractor, kind)
       SELECT c.number, k::text, k, 'a.pdf', 1, md5(c.number || k), 'letters@1', CASE WHEN c.state = '' THEN '' ELSE 'invoice' END
       FROM case_files c, generate_series(1, 2) k""",
    """INSERT INTO case_facts (cas_hash, extractor, found)
       SELECT cas_hash, extractor, '{"kind": "invoice", "facts": {}, "text_hash": ""}' FROM case_documents""",
    """INSERT INTO case_evaluations (case_id, generation, rule_set, decision)
       SELECT number, 1, 'heat-pump@1', 'approved' FROM case_files""",
    """INSERT INTO case_verdicts (evaluation_id, position, rule, verdict, required, evidence, note)
       SELECT id, 1, 'r', 'met', true, '[]', '' FROM case_evaluations""",
    """INSERT INTO job_schedules (name, cron, job_type, collection_node_id, owner)
       SELECT 's' || n, '0 8 * * 1', 'recipe_tick', %(collection)s, 'recipe:' || n FROM generate_series(1, 5000) n""",
)
TABLES = (
    "pipeline_generations, pipeline_steps, pipeline_repairs, job_queue, job_schedules, "
    "case_files, case_documents, case_facts, case_evaluations, case_verdicts"
)
GROWING = {name.strip() for name in TABLES.split(",")}


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cursor]:
    """Ten thousand cases with their steps, jobs, documents, facts and verdicts; a few are under way. And more runs."""
    with django_db_blocker.unblock(), filled(FILL, {"collection": SYSTEM_COLLECTION_ID}, TABLES) as cursor:
        yield cursor


JOBS = {"jobs": [uuid4(), uuid4()]}
UNIT = {"pipeline": "cases", "unit": "c7"}
STALE = {"stale": 3600, "limit": 1000}
BATCH = {"after": "c5", "most": 100}
STEP = {**UNIT, "generation": 1, "step": "extract", "item": "9", "payload": {}}
WANTED = json.dumps([{**UNIT, "generation": 1, "step": "extract"}])
STEPS = json.dumps([{**STEP, "collection": str(SYSTEM_COLLECTION_ID), "job": str(uuid4())}])
MARKS = json.dumps([{"id": 7, "state": "succeeded", "attempt": 1, "job": str(uuid4())}])
ENDED = json.dumps([{**UNIT, "generation": 1, "state": "succeeded", "reason": ""}])
UNITS = json.dumps([{"pipeline": "cases", "unit": "new", "collection": str(SYSTEM_COLLECTION_ID), "cause": "selected"}])
LINES = json.dumps(
    [{"key": "1", "position": 1, "name": "a", "size": 1, "changed_at": "", "cas_hash": "", "extractor": ""}]
)

ENGINE: dict[str, dict[str, Any]] = {
    "begin": JOBS,
    "close_leftovers": STALE,
    "end_units": {"ended": ENDED},
    "ended_lately": {"everything": True, "user": 0, "pipeline": "cases", "hours": 24, "span": 900},
    "ended_steps": JOBS,
    "exclusions": {"wanted": WANTED},
    "insert_steps": {"steps": STEPS},
    "jobless_steps": {**STALE, "ids": [7, 8]},
    "jobless_units": STALE,
    "lock_generations": {"ids": [7, 8]},
    "lock_units": JOBS,
    "mark": {"marks": MARKS},
    "open_by_step": {"everything": True, "user": 0, "minutes": 60},
    "open_units": {"units": UNITS},
    "reclaim": {"reclaimed": json.dumps([{"id": 7, "job": str(uuid4())}])},
    "reopen_unit": {**UNIT, "collection": SYSTEM_COLLECTION_ID, "cause": "manual", "priority": 10},
    "repairs_lately": {},
    "standing": {"wanted": WANTED},
    "still_units": STALE,
    "stray_jobs": {**STALE, "types": ["case_fetch", "case_extract"]},
    "supersede": UNIT,
    "unheard_jobs": {"limit": 500},
}
CASES: dict[str, dict[str, Any]] = {
    "backfill_kinds": {"after": 0, "most": 100},
    "candidates": {"deployed": ["heat-pump"], "are_deployed": True, "most": 25},
    "evaluated_cases": BATCH,
    "failed_cases": BATCH,
    "fetched_cases": BATCH,
    "note_decision": {"number": "c7", "generation": 1},
    "note_end": {"number": "c7", "generation": 1, "state": "succeeded", "reason": ""},
    "open_in_bulk": {},
}
STORE: dict[str, dict[str, Any]] = {
    "case_row": {"number": "c7"},
    "read_documents": {"number": "c7"},
    "remove_documents": {"number": "c7", "lines": LINES},
    "upsert_documents": {"number": "c7", "lines": LINES},
}
TICK = {"name": "s7", "cron": "0 8 * * 1", "timezone": "Europe/Oslo"}
ROW = {"description": "", "job_type": "x", "payload": "{}", "priority": 1, "max_concurrency": 1, "owner": ""}
SCHEDULES: dict[str, dict[str, Any]] = {
    "put": {**TICK, **ROW, "collection": SYSTEM_COLLECTION_ID},
    "seed": {"schedules": "[]"},
    "seed_lock": {},
    "take_tick": {**TICK, "tick": datetime(2026, 5, 18, 6, tzinfo=UTC)},
}
PACKAGES = {
    "jobs.pipelines.sql": ENGINE,
    "jobs.pipelines.cases.sql": CASES,
    "jobs.schedules.sql": SCHEDULES,
    "synops.store.cases": STORE,
}
READS_ALL = {
    "jobs.pipelines.sql": {"expire_generations", "expire_repairs"},  # once an hour, and few rows
    "jobs.pipelines.cases.sql": {"cases_without_manifest"},  # run by hand: what is missing is found by looking
    "jobs.schedules.sql": {"ticking", "orphan"},  # whatever ticks is asked for; after a migration
}


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in PACKAGES.items() for name in names]
)
def test_no_table_that_grows_is_read_whole(crowd: Cursor, package: str, name: str) -> None:
    assert not read_whole(crowd, load(package, name), PACKAGES[package][name]) & GROWING


@pytest.mark.parametrize("package", READS_ALL)
def test_every_statement_is_looked_at_or_said_to_read_all(package: str) -> None:
    found = {
        file.name.removesuffix(".sql") for file in resources.files(package).iterdir() if file.name.endswith(".sql")
    }
    assert found == set(PACKAGES[package]) | READS_ALL[package]
