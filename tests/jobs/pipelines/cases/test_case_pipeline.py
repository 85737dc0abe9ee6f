"""Selection, the steps' reading of what programs stored, ways of running a case anew, campaigns, ten thousand documents."""

from __future__ import annotations

import threading

import pytest

from jobs import queue
from jobs.models import Generation, Job
from jobs.pipelines import AlreadyOpen
from jobs.pipelines.cases import words
from jobs.pipelines.cases.opening import NothingToRead, UnknownCase, evaluate_again, extract_again, reanalyse, select
from jobs.queue import Ended
from synops.store.cases.manifest import store_manifest
from synops.store.cases.verdicts import store_evaluation
from synops.store.sql import Cursor
from synops.tools.rules import verdicts
from tests.jobs.arrange import committing_connection, psycopg_cursor
from tests.jobs.pipelines.cases.arrange import (
    CaseHands,
    boundaries,
    bring,
    case,
    digest,
    facts,
    lines,
    verdict,
)
from tests.jobs.pipelines.dying import Killed, Mortal
from tests.jobs.pipelines.making import state_of, steps_of

pytestmark = pytest.mark.django_db


def opened(cursor: Cursor, most: int = 25) -> list[str]:
    return sorted(unit.unit for unit in select(cursor, most))


def of_case(cursor: Cursor, number: str = "1") -> tuple[object, ...]:
    cursor.execute(
        "SELECT state, decision, generation, reason FROM case_files WHERE number = %(number)s", {"number": number}
    )
    return tuple(cursor.fetchone())


def test_selection_takes_the_oldest_of_active_schemes_with_a_qualifying_status_once(cursor: Cursor) -> None:
    bring(
        cursor,
        case("new", received_on="2026-03-01"),
        case("old", received_on="2026-01-01"),
        case("middle", received_on="2026-02-01"),
        case("draft", status="draft"),
        case("closed", scheme="old"),
    )
    assert opened(cursor, 2) == ["middle", "old"]
    assert opened(cursor) == ["new"]
    assert opened(cursor) == []


def test_cases_that_no_analyzer_is_deployed_for_keep_no_others_out(cursor: Cursor) -> None:
    bring(
        cursor,
        *(case(f"unmapped {n}", scheme="unmapped", received_on="2025-01-01") for n in range(5)),
        case("young", received_on="2026-03-01"),
    )
    assert opened(cursor, 3) == ["unmapped 0", "unmapped 1", "young"]


def test_a_case_goes_from_fetch_over_each_document_to_one_evaluation(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": ["a", "b", "c"]})
    hands.bad.add(digest("b"))
    select(cursor)
    assert hands.run_all() == 5
    assert steps_of(cursor, "1") == {
        ("fetch", ""): ("succeeded", 1),
        ("extract", "a"): ("succeeded", 1),
        ("extract", "b"): ("permanently_failed", 1),
        ("extract", "c"): ("succeeded", 1),
        ("evaluate", ""): ("succeeded", 1),
    }
    assert of_case(cursor) == ("succeeded", "approved", 1, "")
    cursor.execute("SELECT key, kind FROM case_documents ORDER BY position")
    assert list(cursor.fetchall()) == [("a", "invoice"), ("b", ""), ("c", "invoice")]


@pytest.mark.parametrize(("documents", "reason"), [((), "none:extract"), (("a", "b"), "failed:extract")])
def test_without_a_document_that_was_read_there_is_no_evaluation(cursor: Cursor, documents, reason) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": documents})
    hands.bad.update(map(digest, documents))
    select(cursor)
    hands.run_all()
    assert of_case(cursor) == ("permanently_failed", "", 1, reason)
    assert ("evaluate", "") not in steps_of(cursor, "1")
    assert reason in words.REASONS


def test_an_empty_answer_is_a_failed_try_and_a_kind_that_cant_be_read_back_is_none(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": ["a", "b"]})
    select(cursor)
    [fetch] = hands.claim_programs()
    assert hands.begin(fetch)
    hands.end(hands.end_of(fetch))
    first, second = hands.claim_programs()
    for job in (first, second):
        assert hands.begin(job)
    hands.end(Ended(first, "succeeded", result=None), Ended(second, "succeeded", result=facts()))
    assert steps_of(cursor, "1")["extract", "a"] == ("failed", 1)
    assert steps_of(cursor, "1")["extract", "b"] == ("succeeded", 1)
    cursor.execute("SELECT kind, warning <> '' FROM case_documents WHERE key = 'b'")
    assert cursor.fetchone() == ("unknown", True)


def test_a_gap_in_the_configuration_leaves_nothing_behind_so_the_case_comes_again(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": ["a"]})
    select(cursor)
    hands.run_programs(lambda job: Ended(job, "failed", error="no analyzers", permanent=True, exit_code=78))
    assert state_of(cursor, "1") is None
    assert of_case(cursor) == ("", "", 0, "")
    assert opened(cursor) == ["1"]


def test_a_case_is_run_anew_whole_or_from_its_documents_or_from_its_facts(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": ["a", "b"]})
    with pytest.raises(NothingToRead):
        evaluate_again(cursor, "1")
    with pytest.raises(NothingToRead):
        extract_again(cursor, "1")
    with pytest.raises(UnknownCase):
        reanalyse(cursor, "99")
    select(cursor)
    hands.run_all()
    assert evaluate_again(cursor, "1").generation == 2
    with pytest.raises(AlreadyOpen):
        reanalyse(cursor, "1")
    assert hands.run_all() == 1
    assert extract_again(cursor, "1").generation == 3
    cursor.execute("SELECT payload -> 'force' FROM pipeline_steps WHERE generation = 3")
    assert cursor.fetchall() == [(True,), (True,)]
    assert hands.run_all() == 3
    reanalyse(cursor, "1", force=True)
    assert hands.run_all() == 4
    assert of_case(cursor) == ("succeeded", "approved", 4, "")
    cursor.execute("SELECT generation FROM case_evaluations ORDER BY generation")
    assert [row[0] for row in cursor.fetchall()] == [1, 2, 3, 4]


def test_a_worker_killed_between_a_programs_commit_and_its_finish_changes_nothing(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": ["a", "b"]})
    select(cursor)
    killed = 0
    while jobs := hands.claim_programs():
        for job in jobs:
            assert hands.begin(job)
            hands.end_of(job)  # it has committed, and nobody hears of it
        queue.give_back(cursor, jobs)
        killed += len(jobs)
        for job in hands.claim_programs():
            assert hands.begin(job)
            hands.end(hands.end_of(job))
    assert killed == 4
    assert set(steps_of(cursor, "1").values()) == {("succeeded", 1)}
    assert of_case(cursor) == ("succeeded", "approved", 1, "")
    for table, rows in (("case_documents", 2), ("case_facts", 2), ("case_evaluations", 1), ("case_verdicts", 1)):
        cursor.execute(f"SELECT count(*) FROM {table}")
        assert cursor.fetchone() == (rows,), table


@pytest.mark.parametrize("table", ["case_documents", "case_verdicts"])
def test_a_program_killed_at_any_statement_leaves_what_was_there(cursor: Cursor, table: str) -> None:
    def store(cursor: Cursor, *names: str) -> None:
        store_manifest(cursor, "1", lines(*names))
        store_evaluation(cursor, "1", 1, "heat-pump@1", "approved", [verdict(name) for name in names])

    def stored() -> list[str]:
        column = {"case_documents": "key", "case_verdicts": "rule"}[table]
        cursor.execute(f"SELECT {column} FROM {table} ORDER BY position")
        return [row[0] for row in cursor.fetchall()]

    bring(cursor, case("1"))
    store(cursor, "a", "b")
    for statements in boundaries():
        cursor.execute("SAVEPOINT program")
        try:
            store(Mortal(cursor, statements), "b", "c")
        except Killed:
            cursor.execute("ROLLBACK TO SAVEPOINT program")
            assert stored() == ["a", "b"]
        else:
            break
    assert statements >= 4
    assert stored() == ["b", "c"]


def test_ten_thousand_documents_are_fanned_out_in_one_go_and_evaluated_once(cursor: Cursor) -> None:
    bring(cursor, case("1"))
    hands = CaseHands(cursor, {"1": [f"{n:05}" for n in range(10_000)]})
    select(cursor)
    [fetch] = hands.claim_programs()
    assert hands.begin(fetch)
    hands.end(hands.end_of(fetch))
    cursor.execute("SELECT count(*) FROM job_queue WHERE job_type = 'case_extract' AND status = 'pending'")
    assert cursor.fetchone() == (10_000,)
    # All but one are done: by rows, for running them is the benchmark's business.
    cursor.execute(
        "UPDATE pipeline_steps SET state = 'succeeded', attempt = 1, finished_at = now() "
        "WHERE step = 'extract' AND item <> '09999'"
    )
    cursor.execute("SELECT job_id FROM pipeline_steps WHERE item = '09999'")
    last = cursor.fetchone()[0]
    cursor.execute("DELETE FROM job_queue WHERE job_type = 'case_extract' AND id <> %(last)s", {"last": last})
    assert hands.run_all() == 2
    assert of_case(cursor) == ("succeeded", "approved", 1, "")
    cursor.execute("SELECT count(*) FROM pipeline_steps WHERE step = 'evaluate'")
    assert cursor.fetchone() == (1,)


def test_the_codes_of_the_tables_are_those_of_the_program() -> None:
    assert set(words.Verdict.values) == {one.value for one in verdicts.Verdict}
    assert set(words.Decision.values) == {one.value for one in verdicts.Decision}


@pytest.mark.django_db(transaction=True)
def test_two_selections_and_two_people_at_once_open_each_case_once() -> None:
    with psycopg_cursor() as cursor:
        bring(cursor, *(case(f"{n}") for n in range(40)))
        cursor.connection.commit()
    barrier = threading.Barrier(4)
    found: list[list[str]] = []
    manual: list[object] = []

    def selecting() -> None:
        with committing_connection() as own, own.transaction(), own.cursor() as mine:
            barrier.wait(60)
            found.append(opened(mine, 40))

    def by_hand() -> None:
        with committing_connection() as own:
            barrier.wait(60)
            try:
                with own.transaction(), own.cursor() as mine:
                    manual.append(reanalyse(mine, "7").generation)
            except AlreadyOpen:
                manual.append("already")

    threads = [threading.Thread(target=target) for target in (selecting, selecting, by_hand, by_hand)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(map(str, manual))[1] == "already"
    assert len(found) == 2
    assert not set(found[0]) & set(found[1])
    assert {*found[0], *found[1], "7"} == {f"{n}" for n in range(40)}
    assert Generation.objects.filter(state="running").count() == 40
    assert Job.objects.filter(job_type="case_fetch", status="pending").count() == 40
