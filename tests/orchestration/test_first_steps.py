"""First steps: who sees the list, what ticks it off; new collections and recordings; samples in the reader's language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client

from orchestration.models import Run
from orchestration.samples import sample, samples
from synops.graph.models import Edge, GraphEvent, Node
from synops.store.files import FileStore
from synops.tools import notify, render, rss, suggest_edges, summarize, transcribe, tts, waveform
from tests.orchestration.arrange import add_tools, compiled, make_recipe, note
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

COLLECTION, RECORDING = "/admin/graph/node/new-collection/", "/admin/graph/node/new-recording/"


@pytest.fixture
def editor() -> Any:
    user = make_user("ny")
    user.groups.add(Group.objects.get(name="editor"))
    return user


@pytest.fixture
def client(editor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(settings, "STORE_DIR", tmp_path)
    client = Client(headers={"accept-language": "en"})
    client.force_login(editor)
    return client


def done(client: Client) -> list[bool] | None:
    steps = client.get("/admin/orchestration/orchestration/").context["first_steps"]
    return [step.done for step in steps] if steps is not None else None


def test_each_step_ticks_off_and_the_list_goes_with_the_first_green_run(client: Client, editor: Any):
    assert done(client) == [False] * 6
    place = make_collection("Redaksjonen", editor)
    assert done(client) == [True, False, False, False, False, False]
    Edge.objects.create(source=Node.objects.create(node_kind="communication"), target=place, edge_type="belongs_to")
    recipe = make_recipe("Min", compiled([note("x")]), place, state="draft")
    assert done(client) == [True, True, True, False, False, False]
    recipe.metadata["state"] = "active"
    recipe.save()
    Run.objects.create(collection=place, title="Min", compiled={}, trigger={}, status="failed", finished_at=Now())
    assert done(client) == [True, True, True, True, True, False]
    Run.objects.create(collection=place, title="Min", compiled={}, trigger={}, status="completed", finished_at=Now())
    assert done(client) is None


def test_who_may_not_write_recipes_gets_no_list_and_another_newsrooms_work_ticks_nothing(client: Client):
    place = make_collection("Andre")
    make_recipe("Deres", compiled([note("x")]), place)
    Run.objects.create(collection=place, title="Deres", compiled={}, trigger={}, status="completed", finished_at=Now())
    assert done(client) == [False] * 6
    client.force_login(make_user("leser", "orchestration.view_orchestration"))
    assert done(client) is None


def test_a_new_collection_has_its_maker_as_its_owner(client: Client, editor: Any):
    client.post(COLLECTION, {"title": "Ærlig talt", "traits": ["podcast"]})
    made = Node.objects.visible_to(editor).get(node_kind="collection")
    assert (made.title, made.metadata["traits"]) == ("Ærlig talt", ["podcast"])
    assert made.metadata["slug"].startswith("aerlig-talt-")
    client.post(COLLECTION, {"title": "Ærlig talt"})
    slugs = {node.metadata["slug"] for node in Node.objects.visible_to(editor).filter(node_kind="collection")}
    assert len(slugs) == 2
    assert "This field is required" in client.post(COLLECTION, {"title": ""}).content.decode()


def test_a_recording_is_stored_and_its_end_is_an_event(client: Client, editor: Any, tmp_path: Path):
    place, elsewhere = make_collection("Redaksjonen", editor), make_collection("Andre")
    file = SimpleUploadedFile("Møte på Ås.mp3", b"lyd", "application/octet-stream")
    answer = client.post(RECORDING, {"title": "", "collection": place.pk, "file": file})
    talk = Node.objects.get(node_kind="communication")
    assert answer.headers["Location"] == f"/admin/graph/node/{talk.pk}/change/"
    media = Node.objects.get(node_kind="media", edges_in__source=talk)
    assert (talk.title, media.metadata["mime"], media.metadata["size"]) == ("Møte på Ås", "audio/mpeg", 3)
    assert FileStore(tmp_path).path(media.metadata["cas_hash"]).read_bytes() == b"lyd"
    assert GraphEvent.objects.filter(event="communication.ended", node_id=talk.pk).exists()
    refused = client.post(
        RECORDING, {"collection": place.pk, "file": SimpleUploadedFile("x.html", b"<b>", "audio/mpeg")}
    )
    assert "no sound or video" in refused.content.decode()
    hidden = client.post(RECORDING, {"collection": elsewhere.pk, "file": SimpleUploadedFile("a.mp3", b"x")})
    assert "valid choice" in hidden.content.decode()
    assert Node.objects.filter(node_kind="communication").count() == 1


def test_a_disk_that_takes_nothing_more_is_said_and_nothing_half_is_left(client: Client, editor: Any, tmp_path: Path):
    place = make_collection("Redaksjonen", editor)
    (tmp_path / "incoming").write_text("a file where the store wants a folder")
    page = client.post(RECORDING, {"collection": place.pk, "file": SimpleUploadedFile("a.mp3", b"x")})
    assert "could not be stored" in page.content.decode()
    assert not Node.objects.filter(node_kind="communication").exists()


@pytest.mark.parametrize("address", [COLLECTION, RECORDING])
def test_making_something_needs_its_right(client: Client, address: str):
    client.force_login(make_user("leser", "graph.view_node"))
    assert client.get(address).status_code == 403
    assert client.post(address, {"title": "x"}).status_code == 403


def test_samples_are_in_the_readers_language_and_the_first_compiles(client: Client, editor: Any):
    tools = (notify, render, rss, suggest_edges, summarize, transcribe, tts, waveform)
    add_tools(*(tool.DESCRIPTION.to_json() for tool in tools))
    make_collection("Redaksjonen", editor)
    page = client.get("/admin/orchestration/orchestration/add/?sample=first").content.decode()
    assert "make waveform of the recording" in page
    assert "checked" in page
    assert "NÅR" in sample("first", "nb").text  # type: ignore[union-attr]
    assert "WHEN" in sample("publishing", "en").text  # type: ignore[union-attr]
    assert sample("ukjent", "nb") is None
    assert samples("nb")[0].name == "first"
    assert client.get("/admin/orchestration/orchestration/add/?sample=ukjent").status_code == 200
