"""The pipelines' pages: figures that the database counts, units and steps of ones own collections, and a page that stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from jobs.admin import pipelines_page
from jobs.models import Generation, PipelineStep
from jobs.pipelines import Opening, PermanentlyFailed, open_units
from jobs.pipelines.figures import span
from synops.graph.models import Node
from synops.store.sql import load
from tests.jobs.pipelines.making import NAME, Hands, Script, Shelf, library
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

OVERVIEW = "/admin/jobs/generation/overview/"


@pytest.fixture
def script() -> Iterator[Script]:
    with library() as script:
        yield script


@pytest.fixture
def reader() -> Any:
    return make_user("reader", "jobs.view_generation", "jobs.view_pipelinestep")


@pytest.fixture
def client(reader: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(reader)
    return client


@pytest.fixture
def mine(reader: Any) -> Node:
    return make_collection("Ærlig talt", reader)


def run(collection: Node, unit: str, books: int = 3) -> None:
    with connection.cursor() as cursor:
        open_units(cursor, [Opening(NAME, unit, collection.pk, Shelf(unit, books))])


def work() -> None:
    with connection.cursor() as cursor:
        Hands(cursor).work()


def text(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())


def test_the_overview_counts_only_what_its_reader_may_see(client: Client, mine: Node, script: Script):
    run(mine, "open to me")
    run(make_collection("Hemmelig", make_user("other")), "strangers")
    work()
    run(mine, "still waiting")
    shown = text(client.get(OVERVIEW))
    cells = shown[shown.index(">read</a>") :].split("</tr>")[0]
    assert [part.split("<")[0] for part in cells.split("<td>")[1:]][:4] == ["0", "0", "0", "3"]
    listed = text(client.get("/admin/jobs/generation/"))
    assert "open to me" in listed
    assert "strangers" not in listed


def test_without_the_right_there_is_no_page(script: Script):
    stranger = make_user("stranger", "jobs.view_job")
    client = Client()
    client.force_login(stranger)
    assert client.get(OVERVIEW).status_code == 403


def test_if_a_graph_fails_the_page_works_and_says_so(
    client: Client, mine: Node, script: Script, monkeypatch: pytest.MonkeyPatch
):
    def broken(cursor: Any, *_: Any) -> None:
        cursor.execute("SELECT 1/0")

    run(mine, "A")
    work()
    monkeypatch.setattr(pipelines_page, "ended_lately", broken)
    shown = text(client.get(OVERVIEW))
    assert "The graph could not be made" in shown
    assert "could not be counted in time" in shown
    assert ">read</a>" in shown
    monkeypatch.setattr(pipelines_page, "open_steps", broken)
    monkeypatch.setattr(pipelines_page, "repairs_lately", broken)
    assert "What waits and runs now could not be counted in time" in text(client.get(OVERVIEW))


def test_a_unit_shows_its_steps_its_reason_and_its_errors(client: Client, mine: Node, script: Script):
    script.read = lambda *_: PermanentlyFailed("<b>torn</b>")
    run(mine, "A")
    work()
    generation = Generation.objects.get(unit="A")
    shown = text(client.get(f"/admin/jobs/generation/{generation.pk}/change/"))
    assert "nothing came of the step read" in shown
    assert "&lt;b&gt;torn" in shown
    assert "book 2" in shown
    step = PipelineStep.objects.filter(step="read").first()
    assert step is not None
    assert "torn" in text(client.get(f"/admin/jobs/pipelinestep/{step.pk}/change/"))


@pytest.mark.parametrize("query", ["", "?q=A", "?state=succeeded", "?pipeline=library&step=read", "?state=pending"])
def test_the_lists_are_filtered_and_searched_by_whole_names(client: Client, mine: Node, script: Script, query: str):
    run(mine, "A")
    work()
    found = text(client.get(f"/admin/jobs/pipelinestep/{query}"))
    assert ("book 1" in found) is (query != "?state=pending")


def test_repairs_are_shown_in_words(client: Client, mine: Node, script: Script):
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO pipeline_repairs (pipeline, kind, repaired) VALUES ('library', 'fanned_in', 3)")
    assert "units whose fan-in had been missed" in text(client.get(OVERVIEW))


def test_figures_and_lists_read_their_index(mine: Node, script: Script):
    """Over sixty days of steps: an empty table's plan says nothing."""
    run(mine, "A")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO pipeline_steps (pipeline, unit, generation, step, item, state, finished_at) "
            "SELECT %s, 'A', 1, 'read', n::text, CASE WHEN n %% 5000 = 0 THEN 'permanently_failed' ELSE 'succeeded' END, "
            "now() - n * interval '4 minutes' "
            "FROM generate_series(1, 20000) n",
            [NAME],
        )
        cursor.execute("ANALYZE pipeline_steps")
        parameters = {"everything": True, "user": 0, "pipeline": NAME, "hours": 24, "span": span(24).total_seconds()}
        cursor.execute("EXPLAIN " + load("jobs.pipelines.sql", "ended_lately"), parameters)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "pipeline_steps_finished" in plan
    failed = PipelineStep.objects.filter(pipeline__in=[NAME], state="permanently_failed").order_by("-id")[:100]
    assert "pipeline_steps_unsuccessful" in failed.explain()
