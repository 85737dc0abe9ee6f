"""The pages of cases: what they show of a run, how many questions they ask, and who may press the buttons."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client

from jobs.models import Generation
from jobs.pipelines.cases.models import CaseFile, Scheme
from jobs.pipelines.cases.opening import select
from synops.store.cases.verdicts import store_evaluation
from tests.jobs.pipelines.cases.arrange import CaseHands, bring, case, digest, verdict
from tests.people import make_user

pytestmark = pytest.mark.django_db
PAGE = "/admin/cases/casefile/2026_2F1/change/"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(make_user("reader", "cases.view_casefile", "cases.reanalyse_casefile"))
    return client


@pytest.fixture
def hands() -> CaseHands:
    with connection.cursor() as cursor:
        bring(cursor, case("2026/1", title="Varmepumpe på <Tromsøya>"), case("2026/2"), case("2026/3"))
        made = CaseHands(cursor, {"2026/1": ["a", "b"], "2026/2": [], "2026/3": ["c"]})
        made.bad.add(digest("b"))
        select(cursor)
        made.run_all()
        yield made


def test_the_list_filters_by_state_and_finds_by_number(client: Client, hands: CaseHands) -> None:
    shown = client.get("/admin/cases/casefile/").content.decode()
    assert "2026/1" in shown
    failed = client.get("/admin/cases/casefile/?state=permanently_failed").content.decode()
    assert "2026/2" in failed
    assert "2026/1" not in failed
    assert "2026/3" in client.get("/admin/cases/casefile/?q=2026/3").content.decode()
    assert "2026/1" not in client.get("/admin/cases/casefile/?state=none").content.decode()


def test_a_case_shows_steps_documents_attempts_and_verdicts(client: Client, hands: CaseHands) -> None:
    page = client.get(PAGE).content.decode()
    assert "Varmepumpe på &lt;Tromsøya&gt;" in page
    assert "the PDF is damaged" in page
    assert "heat-pump@1" in page
    assert page.count("/admin/jobs/job/") >= 4
    assert client.get("/admin/cases/casefile/2026_2F2/change/").status_code == 200
    assert client.get("/admin/cases/casefile/none/change/").status_code == 302


def test_ten_thousand_verdicts_are_a_page_with_what_stands_in_the_way_first(
    client, hands, django_assert_max_num_queries
) -> None:
    many = [verdict("invoice-addressed", document=str(n)) for n in range(10_000)]
    many[7_000] |= {"verdict": "not_met", "document": "the one"}
    store_evaluation(hands.cursor, "2026/1", 9, "heat-pump@1", "rejected", many)
    with django_assert_max_num_queries(40):
        page = client.get(PAGE).content.decode()
    assert "the one" in page
    assert len(page) < 200_000
    assert client.get(f"{PAGE}?verdicts=200&documents=9").status_code == 200


def test_the_buttons_open_a_run_once_and_only_for_those_who_may(client: Client, hands: CaseHands) -> None:
    assert client.get("/admin/cases/casefile/2026_2F1/evaluate/").status_code == 405
    assert client.post("/admin/cases/casefile/2026_2F1/evaluate/").status_code == 302
    assert client.post("/admin/cases/casefile/2026_2F1/force/").status_code == 302
    assert Generation.objects.filter(unit="2026/1").count() == 2
    assert "2026/2" in client.post("/admin/cases/casefile/2026_2F2/extract/", follow=True).content.decode()
    assert Generation.objects.filter(unit="2026/2").count() == 1
    only_reads = Client()
    only_reads.force_login(make_user("only-reads", "cases.view_casefile"))
    assert only_reads.post("/admin/cases/casefile/2026_2F1/reanalyse/").status_code == 403
    assert "evaluate/" not in only_reads.get(PAGE).content.decode()
    stranger = Client()
    stranger.force_login(make_user("stranger"))
    assert stranger.get(PAGE).status_code == 403


def test_a_person_switches_a_scheme_off_and_can_change_nothing_else(hands: CaseHands) -> None:
    editor = Client()
    editor.force_login(make_user("editor", "cases.view_scheme", "cases.change_scheme"))
    editor.post("/admin/cases/scheme/heat-pump/change/", {"name": "Noe annet", "key": "x"})
    scheme = Scheme.objects.get(key="heat-pump")
    assert (scheme.name, scheme.active) == ("Varmepumpe", False)
    assert editor.get("/admin/cases/scheme/add/").status_code == 403
    assert CaseFile.objects.filter(scheme=scheme).count() == 3
