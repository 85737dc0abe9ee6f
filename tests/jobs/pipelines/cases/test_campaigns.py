"""What people start: campaigns over all cases in their own lane, the schedules that they have, and the commands."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from jobs import queue
from jobs.models import Job, Schedule
from jobs.pipelines.cases import campaigns
from jobs.pipelines.cases.campaigns import CAMPAIGNS
from jobs.pipelines.cases.opening import reanalyse, select
from jobs.pipelines.cases.schedules import backfill_document_kind
from jobs.queue import ClaimedJob, Limits, NewJob
from jobs.registries import registries
from jobs.worker.inline import run_batch
from synops.graph.columns import new_id
from synops.store.cases.facts import store_facts
from synops.store.cases.manifest import store_manifest
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor
from tests.jobs.pipelines.cases.arrange import CaseHands, bring, case, digest, facts, lines
from tests.jobs.pipelines.making import make_all_due

pytestmark = pytest.mark.django_db


def test_campaigns_go_on_behind_the_last_case_and_wait_when_the_lane_is_full(cursor: Cursor, monkeypatch) -> None:
    monkeypatch.setattr(campaigns, "BATCH", 2)
    monkeypatch.setattr(campaigns, "MOST_OPEN", 3)
    numbers = [f"{n}" for n in range(1, 6)]
    bring(cursor, *(case(number) for number in numbers))
    hands = CaseHands(cursor, {number: ["a"] for number in numbers})
    select(cursor)
    hands.run_all()
    reanalyse(cursor, "2")  # by hand: the campaign leaves it alone
    queue.enqueue(cursor, NewJob(SYSTEM_COLLECTION_ID, "bulk_reevaluation", {}, priority=1))
    results = []
    while jobs := queue.claim_inline(cursor, worker_id=hands.worker, types=("bulk_reevaluation",)):
        run_batch(cursor, jobs, registries.inline)
        cursor.execute("SELECT result FROM job_queue WHERE id = %(id)s", {"id": jobs[0].id})
        results.append(cursor.fetchone()[0])
        hands.run_all()
        make_all_due(cursor)
        assert len(results) < 20
    assert sum(result["opened"] for result in results) == 4
    assert sum(result["skipped"] for result in results) == 1
    cursor.execute("SELECT unit FROM pipeline_generations WHERE cause = 'bulk' ORDER BY unit")
    assert [row[0] for row in cursor.fetchall()] == ["1", "3", "4", "5"]
    cursor.execute("SELECT DISTINCT job_type FROM job_queue WHERE job_type LIKE 'case_evaluate%'")
    assert "case_evaluate_bulk" in [row[0] for row in cursor.fetchall()]


def test_documents_without_a_kind_get_that_of_their_facts(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    store_manifest(cursor, "1", lines("a", "b", "c"))
    for name in "ab":
        store_facts(cursor, digest(name), "letters@1", facts("offer"))
    cursor.execute("UPDATE case_documents SET kind = 'invoice' WHERE key = 'a'")
    job = ClaimedJob(new_id(), SYSTEM_COLLECTION_ID, "x", {}, 1, new_id(), 1, 1, None, (), Limits(10))
    assert backfill_document_kind(cursor, job)["changed"] == 1
    cursor.execute("SELECT key, kind FROM case_documents ORDER BY key")
    assert list(cursor.fetchall()) == [("a", "invoice"), ("b", "offer"), ("c", "")]


def test_every_schedule_is_there_and_the_dormant_ones_are_dormant() -> None:
    dormant = {campaign.name for campaign in CAMPAIGNS} | {"replica_full_sync", "backfill_document_kind"}
    found = dict(
        Schedule.objects.filter(name__in=[*dormant, "selection", "replica_sync"]).values_list("name", "dormant")
    )
    assert found == {**dict.fromkeys(dormant, True), "selection": False, "replica_sync": False}
    assert all(Schedule.objects.exclude(description="").filter(name=name).exists() for name in found)


def test_at_a_shell_cases_are_selected_and_run_anew(capsys: pytest.CaptureFixture[str]) -> None:
    with connection.cursor() as cursor:
        bring(cursor, case("1"), case("2"))
    call_command("select_cases", "--most=1")
    assert capsys.readouterr().out == "1\n"
    call_command("reanalyse_case", "2", "--force")
    assert Job.objects.get(payload__case_number="2").payload["force"] is True
    for arguments, said in ((["2"], "2"), (["99"], "no case 99"), (["1", "--evaluate"], "no documents")):
        with pytest.raises(CommandError, match=said):
            call_command("reanalyse_case", *arguments)
