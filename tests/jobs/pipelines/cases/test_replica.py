"""The replica follows a dump in one transaction, deletions included, or stays as it was; whoever dies in the middle of it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction

from jobs.pipelines.cases.models import CaseFile, CaseStatus, Certificate, Cost, Document, Evaluation, Scheme, Sync
from synops.demo.cases import write
from synops.store.cases import replica
from synops.store.cases.facts import store_facts
from synops.store.cases.manifest import store_manifest
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor
from tests.jobs.arrange import psycopg_cursor
from tests.jobs.pipelines.cases.arrange import (
    WHEN,
    boundaries,
    bring,
    case,
    digest,
    dump,
    facts,
    lines,
)
from tests.jobs.pipelines.dying import Killed, Mortal
from tests.tools.conftest import Outcome, Workshop, database_workshop, running_job, workshop  # noqa: F401 (fixtures)
from tests.tools.test_case_sources import Service, page, service  # noqa: F401 (fixture)

pytestmark = pytest.mark.django_db


def table(cursor: Cursor, statement: str) -> list[tuple[object, ...]]:
    cursor.execute(statement)
    return list(cursor.fetchall())


def test_new_changed_and_removed_rows(cursor: Cursor) -> None:
    costs = [{"key": "1", "label": "Utstyr", "amount": 1000.5}, {"key": "2", "label": "Arbeid", "amount": 500}]
    bring(cursor, case("1", costs=costs, certificates=[{"number": "A1", "grade": "E"}]), case("2"))
    changed = bring(
        cursor,
        case("1", title="Ny tittel", costs=costs[:1], assessments=[{"key": "1", "kind": "k", "outcome": "negative"}]),
        case("3", status="draft"),
        at=WHEN + timedelta(days=1),
    )
    assert changed == {"cases": 2, "assessments": 1, "costs": 1, "certificates": 1, "cases removed": 1}
    assert table(cursor, "SELECT number, title FROM case_files ORDER BY number") == [("1", "Ny tittel"), ("3", "Sak 3")]
    assert [float(amount) for (amount,) in table(cursor, "SELECT amount FROM case_costs")] == [1000.5]
    assert table(cursor, "SELECT number FROM case_certificates") == []
    assert replica.last_dump(cursor) == WHEN + timedelta(days=1)


def test_the_same_dump_again_changes_nothing(cursor: Cursor) -> None:
    bring(cursor, case("1", costs=[{"key": "1", "label": "x", "amount": 1}]))
    assert bring(cursor, case("1", costs=[{"key": "1", "label": "x", "amount": 1}])) == {}


def test_what_a_person_said_of_schemes_and_statuses_stays(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    cursor.execute("UPDATE case_schemes SET active = NOT active")
    cursor.execute("UPDATE case_statuses SET qualifying = NOT qualifying")
    bring(cursor, case("1"))
    assert table(cursor, "SELECT key, active FROM case_schemes ORDER BY key") == [
        ("heat-pump", False),
        ("old", True),
        ("unmapped", False),
    ]
    assert table(cursor, "SELECT qualifying FROM case_statuses ORDER BY key") == [(False,), (True,)]


def test_a_dump_without_cases_does_not_empty_the_replica(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    with pytest.raises(replica.SuspiciousDump):
        replica.sync(cursor, WHEN, dump())


@pytest.mark.django_db(transaction=True)
def test_killed_at_any_statement_the_old_replica_stays_and_the_next_run_is_whole() -> None:
    with psycopg_cursor() as cursor:
        bring(cursor, case("1"), case("2"))
        cursor.connection.commit()
        died = 0
        for statements in boundaries():
            try:
                replica.sync(Mortal(cursor, statements), WHEN, dump(case("2", title="Ny"), case("3")))
            except Killed:
                died += 1
                cursor.connection.rollback()
                assert sorted(CaseFile.objects.values_list("number", "title")) == [("1", "Sak 1"), ("2", "Sak 2")]
                continue
            cursor.connection.commit()
            break
    assert died > 5
    assert sorted(CaseFile.objects.values_list("number", "title")) == [("2", "Ny"), ("3", "Sak 3")]
    assert Sync.objects.count() == 2


# -- the program -------------------------------------------------------------------------------------------------------


def test_the_program_follows_the_source_when_that_is_newer(database_workshop: Workshop) -> None:  # noqa: F811
    shop, root = database_workshop, database_workshop.root / "var" / "cases"
    write(root)
    job = running_job(SYSTEM_COLLECTION_ID, "replica_sync")
    first = shop.run("synops-case-sync", "--write", **job).result
    assert first["changed"]["cases"] == CaseFile.objects.count() == 15
    assert (Scheme.objects.filter(active=True).count(), CaseStatus.objects.filter(qualifying=True).count()) == (3, 1)
    assert (Cost.objects.count(), Certificate.objects.count()) == (15, 3)
    assert "skipped" in shop.run("synops-case-sync", "--write", **job).result
    assert shop.run("synops-case-sync", "--write", "--full", **job).result["changed"] == {}
    shop_case(root, "2026-101", title="Endret")
    assert shop.run("synops-case-sync", "--write", **job).result["changed"] == {"cases": 1}
    # A source that breaks its contract, a run whose job was taken away: nothing changes.
    shop_case(root, "2026-101", scheme="unheard-of", title="Feil")
    broken = shop.run("synops-case-sync", "--write", **job)
    assert (broken.code, "unheard-of" in broken.stderr) == (75, True)
    shop_case(root, "2026-101", scheme="heat-pump", title="Fra en annen jobb")
    assert shop.run("synops-case-sync", "--write", **{**job, "SYNOPS_LEASE": "9"}).code == 75
    assert CaseFile.objects.get(number="2026/101").title == "Endret"


def shop_case(root: Path, folder: str, **changes: str) -> None:
    path = root / "cases" / folder / "case.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_fetch_takes_only_what_is_new_and_the_manifest_follows(database_workshop: Workshop) -> None:  # noqa: F811
    shop, root = database_workshop, database_workshop.root / "var" / "cases"
    write(root)
    job = running_job(SYSTEM_COLLECTION_ID, "case_fetch")
    shop.run("synops-case-sync", "--write", **job).result  # noqa: B018 (raises when it failed)
    flags = ("--case-number=2026/102", "--write")
    assert shop.run("synops-case-fetch", *flags, **job).result == {
        "documents": 4,
        "fetched": 4,
        "extractor": "letters@1",
    }
    folder = root / "cases" / "2026-102" / "documents"
    (folder / "4-e-post.eml").unlink()
    (folder / "5-ny.txt").write_text("ny")
    assert shop.run("synops-case-fetch", *flags, **job).result["fetched"] == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT key FROM case_documents ORDER BY position")
        assert [key for (key,) in cursor.fetchall()] == ["1-søknad.html", "2-faktura.pdf", "3-faktura.docx", "5-ny.txt"]
    assert shop.run("synops-case-fetch", "--case-number=2026/301", "--write", **job).code == 77
    assert shop.run("synops-case-fetch", "--case-number=2026/401", "--write", **job).code == 78
    assert shop.run("synops-case-fetch", "--case-number=nobody", "--write", **job).code == 66


def test_documents_that_change_while_they_are_fetched_leave_the_manifest_as_it_was(
    database_workshop: Workshop,  # noqa: F811
    service: Service,  # noqa: F811
) -> None:
    shop = database_workshop
    with transaction.atomic(), connection.cursor() as cursor:
        bring(cursor, case("2026/1"))
    job = running_job(SYSTEM_COLLECTION_ID, "case_fetch")
    path, one = "/cases/2026%2F1/documents", {"key": "d 1", "name": "å.pdf", "size": 5}
    settled = service.answers[path]

    def fetch() -> Outcome:
        return shop.run("synops-case-fetch", "--case-number=2026/1", "--write", CASES_SOURCE=service.address, **job)

    lists = iter([settled, page(one, {**one, "key": "d 2"}, total=2)])
    service.answers[path] = lambda _cursor: next(lists)
    changed = fetch()
    assert (changed.code, "changed while they were fetched" in changed.stderr) == (75, True)
    service.answers[path] = page({**one, "size": 4}, total=1)
    longer = fetch()
    assert (longer.code, "listed with 4 bytes and came with 5" in longer.stderr) == (75, True)
    assert not Document.objects.exists()
    service.answers[path] = settled
    assert fetch().result["documents"] == Document.objects.count() == 1


def test_an_evaluation_that_is_written_twice_is_one(database_workshop: Workshop) -> None:  # noqa: F811
    """As when the worker is killed between the program's commit and the job's finish: the job runs again."""
    shop = database_workshop
    with transaction.atomic(), connection.cursor() as cursor:
        bring(cursor, case("1"))
        store_manifest(cursor, "1", lines("a"))
        store_facts(cursor, digest("a"), "letters@1", facts())
    flags = ("--case-number=1", "--generation=1", "--write")
    for lease in (1, 2):
        job = running_job(SYSTEM_COLLECTION_ID, "case_evaluate", lease)
        assert shop.run("synops-evaluate", *flags, **job).result["decision"] == "rejected"
    [evaluation] = Evaluation.objects.all()
    assert (evaluation.generation, evaluation.rule_set, evaluation.verdicts.count()) == (1, "heat-pump@1", 7)
