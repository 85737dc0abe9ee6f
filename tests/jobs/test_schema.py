"""The catalogue against the DDL of the spec (jobbkø §3), and the departures from it that are decided."""

from __future__ import annotations

import pytest
from django.db import connection

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

SPEC_COLUMNS = {
    "id": ("uuid", True, "gen_random_uuid()"),
    "collection_node_id": ("uuid", True, None),
    "job_type": ("text", True, None),
    "payload": ("jsonb", True, None),
    "status": ("job_status", True, "'pending'::job_status"),
    "priority": ("smallint", True, "0"),
    "result": ("jsonb", False, None),
    "error_msg": ("text", False, None),
    "attempts": ("smallint", True, "0"),
    "max_attempts": ("smallint", True, "3"),
    "created_at": ("timestamp with time zone", True, "now()"),
    "started_at": ("timestamp with time zone", False, None),
    "completed_at": ("timestamp with time zone", False, None),
    "scheduled_for": ("timestamp with time zone", True, "now()"),
}
OWN_COLUMNS = {
    "lease",
    "worker_id",
    "claim_no",
    "outcome",
    "dedupe_key",
    "order_key",
    "cancel_requested_at",
    "interruptions",
    "run_id",
    "chain",
    "retry_on",
}


def rows(query: str, **parameters: object) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())


def columns(table: str) -> dict[str, tuple[object, ...]]:
    found = rows(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid) "
        "FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
        "WHERE a.attrelid = %(table)s::regclass AND a.attnum > 0 AND NOT a.attisdropped",
        table=table,
    )
    return {str(name): tuple(rest) for name, *rest in found}


def test_job_status_has_the_five_values_of_the_spec_in_their_order():
    found = rows("SELECT enumlabel FROM pg_enum WHERE enumtypid = 'job_status'::regtype ORDER BY enumsortorder")
    assert [label for (label,) in found] == ["pending", "running", "completed", "error", "retry"]


def test_job_queue_has_the_columns_of_the_spec_to_the_letter_and_our_own():
    found = columns("job_queue")
    assert {name: found[name] for name in SPEC_COLUMNS} == SPEC_COLUMNS
    assert set(found) - set(SPEC_COLUMNS) == OWN_COLUMNS


def test_deleting_a_collection_deletes_its_jobs_in_the_database():
    found = rows(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'job_queue'::regclass AND contype = 'f'"
    )
    assert found == [("FOREIGN KEY (collection_node_id) REFERENCES nodes(id) ON DELETE CASCADE",)]


def test_the_claim_index_replaces_the_specs():
    indexes = dict(rows("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'job_queue'"))
    assert "(job_type, priority DESC, scheduled_for, id)" in str(indexes["job_queue_claim"])
    assert "'pending'" in str(indexes["job_queue_claim"])
    assert "idx_job_queue_pending" not in indexes, "both together let the planner pick the wrong one"


def test_priority_rules_have_the_fields_of_the_spec():
    wanted = {
        "job_type": "text",
        "base_priority": "smallint",
        "livekit_priority_adj": "smallint",
        "cpu_weight": "smallint",
        "max_concurrent": "smallint",
        "timeout_seconds": "integer",
        "block_during_livekit": "boolean",
        "paused": "boolean",
        "hold_when_disk_full": "boolean",
        "max_open_files": "integer",
        "max_cpu_seconds": "integer",
        "max_rss_mb": "integer",
    }
    found = columns("job_priority_rules")
    assert {name: found[name][0] for name in wanted} == wanted


@pytest.mark.parametrize(
    "change",
    [
        "status = 'running'",
        "status = 'completed'",
        "status = 'error', completed_at = now(), outcome = 'succeeded'",
        "status = 'completed', completed_at = now(), outcome = 'failed'",
        "worker_id = gen_random_uuid()",
        "completed_at = now()",
        "cancel_requested_at = now()",
        "priority = 11",
        "attempts = -1",
        "outcome = 'banana'",
        "retry_on = 'mondays'",
        "job_type = ''",
    ],
)
def test_the_database_forbids_impossible_rows(change):
    from django.db import IntegrityError

    from jobs import queue
    from tests.jobs.arrange import new_job

    with connection.cursor() as cursor:
        queue.enqueue(cursor, new_job())
    with pytest.raises(IntegrityError), connection.cursor() as cursor:
        cursor.execute(f"UPDATE job_queue SET {change}")


def test_an_unknown_status_in_a_filter_answers_with_nothing():
    from jobs.models import Job

    assert list(Job.objects.filter(status="banana")) == []
    assert list(Job.objects.filter(status__in=["banana"])) == []
    assert Job.objects.exclude(status="banana").count() == 0


def test_what_counts_up_for_ever_has_eight_bytes():
    """A claim number, an attempt, a log chunk: two thousand million of them are some years of a busy queue."""
    numbered = rows(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE a.attidentity <> '' AND (c.relname LIKE 'job\\_%%' OR c.relname LIKE 'pipeline\\_%%')"
    )
    assert {"job_attempts"} <= {table for table, _, _ in numbered}
    assert {kind for _, _, kind in numbered} == {"bigint"}, numbered
    assert columns("job_queue")["claim_no"][0] == "bigint"
    assert rows("SELECT data_type::text FROM pg_sequences WHERE sequencename = 'job_claims'") == [("bigint",)]


def test_payloads_and_results_have_no_index_that_every_change_would_feed():
    inverted = rows(
        "SELECT indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "JOIN pg_am m ON m.oid = c.relam WHERE m.amname = 'gin' AND i.indrelid = ANY(ARRAY["
        "'job_queue', 'job_attempts', 'job_log']::regclass[])"
    )
    assert inverted == []
