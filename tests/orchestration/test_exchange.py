"""Recipes as text files, and circles of `triggers` edges found before they are drawn."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from jobs.graph_writes import insert_edge
from jobs.queue import ClaimedJob, Limits
from jobs.registries import InlineRefused
from orchestration.circles import EdgeRefused, circle_closed_by, link
from orchestration.exchange import BadFile, export_text, file_name, import_file
from orchestration.models import Orchestration
from orchestration.recipes import Draft, save
from synops.graph.columns import new_id
from synops.graph.models import Edge, Node
from tests.orchestration.arrange import add_tools, compiled, make_recipe, note
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db

TEXT = "# En kommentar\nNÅR innspilling avsluttet\n\n1. transkriber lydfilen\n"


def test_a_file_read_back_is_the_same_recipe(tmp_path):
    add_tools()
    saved = save(Draft(text=TEXT, title="Podkast: opptak →\nfeed", language="nn", intelligence=3, effort=1))
    recipe = Orchestration.objects.get(pk=saved.id)
    text = export_text(recipe)
    assert file_name(recipe) == "podkast-opptak-feed.oppskrift.txt"
    collection = make_collection("Podcast")
    again = Orchestration.objects.get(pk=import_file(text.encode(), collections=[collection.pk]).id)
    assert again.pk != recipe.pk
    assert (again.content, again.title) == (recipe.content, "Podkast: opptak → feed")
    for name in ("language", "intelligence", "effort", "executor", "source_layer", "state"):
        assert getattr(again, name) == getattr(recipe, name)
    assert export_text(again) == text


def test_a_plain_text_without_a_head_is_a_recipe_too_and_the_next_version_of_one(tmp_path):
    first = import_file(TEXT.encode())
    second = import_file(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode() + b"2. x\r\n", recipe_id=first.id)
    assert (second.id, second.version) == (first.id, 2)


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"#: language = de\n" + TEXT.encode(), b"#: effort = 9\n", b"a" * 200_000]
)
def test_what_is_no_recipe_file_says_why(data):
    with pytest.raises(BadFile):
        import_file(data)
    assert not Node.objects.filter(node_kind="orchestration", metadata__seed=None, title="").exists()


def test_a_circle_is_found_with_the_way_around(db):
    a, b, c = (make_recipe(title, compiled([note("x")])) for title in "ABC")
    for source, target in ((a, b), (b, c)):
        Edge.objects.create(source=source, target=target, edge_type="triggers")
    with connection.cursor() as cursor:
        assert circle_closed_by(cursor, c.pk, a.pk) == ["C", "A", "B", "C"]
        assert circle_closed_by(cursor, a.pk, c.pk) == []
        assert circle_closed_by(cursor, a.pk, a.pk) == ["A", "A"]


def test_an_edge_that_closes_a_circle_is_refused(db):
    a, b = (make_recipe(title, compiled([note("x")])) for title in "AB")
    link(a.pk, b.pk)
    with pytest.raises(EdgeRefused, match="B → A → B"):
        link(b.pk, a.pk)
    with pytest.raises(EdgeRefused):
        link(a.pk, a.pk)
    with pytest.raises(EdgeRefused, match="ORK-803"):
        link(a.pk, make_node("media", "Et opptak").pk)
    assert Edge.objects.filter(edge_type="triggers", source__in=[a, b]).count() == 1


def test_the_admins_edge_form_and_jobs_ask_the_same(client):
    desk = make_collection("desk")
    a, b = (make_recipe(title, compiled([note("x")]), desk) for title in "AB")
    link(a.pk, b.pk)
    client.force_login(make_user("chief", superuser=True))
    drawn = {"source": b.pk, "edge_type": "triggers", "target": a.pk, "metadata": "{}"}
    page = client.post("/admin/graph/edge/add/", drawn)
    assert "B → A → B" in page.content.decode()
    assert "ORK-801" in page.content.decode()
    payload = {"source_id": str(b.pk), "edge_type": "triggers", "target_id": str(a.pk)}
    with connection.cursor() as cursor, pytest.raises(InlineRefused, match="B → A → B"):
        insert_edge(
            cursor, ClaimedJob(new_id(), desk.pk, "pg_insert_edge", payload, 1, new_id(), 1, 3, None, (), Limits(600))
        )
    assert Edge.objects.filter(edge_type="triggers", source__in=[a, b]).count() == 1


def test_the_command_writes_and_reads_files(tmp_path):
    save(Draft(text=TEXT, title="Min"))
    call_command("recipe_files", "export", str(tmp_path), "--recipe", "Min", stdout=io.StringIO())
    [path] = tmp_path.iterdir()
    make_collection("Podcast")
    call_command("recipe_files", "import", str(path), "--collection", "podcast", stdout=io.StringIO())
    assert Orchestration.objects.filter(title="Min").count() == 2
    for arguments in (["import", str(tmp_path / "nope")], ["export", str(path)], ["import", str(tmp_path)]):
        with pytest.raises(CommandError):
            call_command("recipe_files", *arguments, stdout=io.StringIO())
