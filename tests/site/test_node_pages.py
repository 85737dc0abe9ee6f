"""Pages of nodes by kind, the jobs that fit, and a node's file: shown to those who may see the node, and to nobody else."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.test import Client

from synops.graph.models import Edge, Node, TranscriptionSegment
from synops.store.files import FileStore
from synops.tools import summarize, transcribe
from tests.orchestration.arrange import add_tools, compiled, end, make_recipe, make_recording, note, started
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_user("kari", "graph.view_node", "jobs.enqueue_job", "jobs.view_job")


@pytest.fixture
def desk(person):
    return make_collection("Redaksjonen", person)


@pytest.fixture
def client(person):
    client = Client(headers={"accept-language": "en"})
    client.force_login(person)
    return client


def received(response):
    """The bytes of an answer that is sent piece by piece."""

    async def read():
        return b"".join([piece async for piece in response.streaming_content])

    return async_to_sync(read)()


def page_of(client, node):
    return client.get(f"/admin/graph/node/{node.pk}/change/").content.decode()


@pytest.fixture
def sound(tmp_path, monkeypatch, desk):
    monkeypatch.setattr(settings, "STORE_DIR", tmp_path)
    stored = FileStore(tmp_path).put_bytes(b"0123456789")
    return make_node("media", "opptak.mp3", into=desk, metadata={"cas_hash": stored.digest, "mime": "audio/mpeg"})


def test_a_recording_has_a_player_its_transcript_and_the_jobs_that_fit(client, desk, sound):
    add_tools(transcribe.DESCRIPTION.to_json(), summarize.DESCRIPTION.to_json())
    talk = make_node("communication", "Møte", into=desk)
    Edge.objects.create(source=talk, target=sound, edge_type="has_media")
    TranscriptionSegment.objects.create(node=sound, seq=1, start_ms=61_000, end_ms=62_000, content="Hei <b>der</b>")
    page = page_of(client, talk)
    assert f'<audio controls preload="metadata" src="/admin/files/{sound.pk}">' in page
    assert "1:01</span> Hei &lt;b&gt;der&lt;/b&gt;" in page
    assert f"type=whisper_transcribe&amp;collection={desk.pk}&amp;param-cas_hash={sound.metadata['cas_hash']}" in page
    assert f"param-communication_id={talk.pk}" in page
    form = client.get(
        f"/admin/jobs/job/new/?type=summarize_communication&collection={desk.pk}&param-communication_id={talk.pk}"
    )
    assert f'value="{talk.pk}"' in form.content.decode()


def test_a_new_recording_says_what_is_missing(client, desk):
    page = page_of(client, make_node("communication", "Tomt", into=desk))
    assert "No file yet" in page
    assert "has not been transcribed" in page


def test_an_article_is_shown_as_it_will_be_published(client, desk):
    page = page_of(
        client, make_node("content", "Sak", into=desk, content="# Tittel\n\n*Hei* <script>alert(1)</script>")
    )
    assert "<em>Hei</em>" in page
    assert "<script>alert" not in page


def test_a_collection_shows_members_recipes_traits_and_only_what_one_may_see(client, desk, person):
    make_recipe("Vår oppskrift", compiled([note("x")]), desk)
    desk.metadata["traits"] = {"podcast": {}}
    desk.save()
    make_node("content", "Synlig", into=desk)
    item = make_node("work_item", "Se på saken", into=desk)
    page = page_of(client, desk)
    assert f"/admin/orchestration/workitem/{item.pk}/change/" in page
    for said in ("kari", "Vår oppskrift", "podcast", "Synlig"):
        assert said in page


def test_a_tool_and_a_preset_say_what_they_are(client, desk):
    add_tools(transcribe.DESCRIPTION.to_json())
    chief = Client(headers={"accept-language": "nb"})
    chief.force_login(make_user("chief", superuser=True))
    tool = make_node("cli_tool", "synops-x", metadata=transcribe.DESCRIPTION.to_json())
    assert "--cas-hash" in page_of(chief, tool)
    assert "Rens teksten" in page_of(chief, make_node("ai_preset", "Rens", content="Rens teksten."))


def test_the_file_is_for_those_who_see_the_node(client, sound, person):
    address = f"/admin/files/{sound.pk}"
    part = client.get(address, headers={"range": "bytes=2-4"})
    assert (part.status_code, part.headers["Content-Range"], received(part)) == (206, "bytes 2-4/10", b"234")
    assert (part.headers["Content-Type"], part.headers["Content-Disposition"]) == ("audio/mpeg", "inline")
    assert Client().get(address).status_code == 404
    stranger = Client()
    stranger.force_login(make_user("stranger", "graph.view_node"))
    assert stranger.get(address).status_code == 404
    assert client.get(f"/admin/files/{uuid4()}").status_code == 404


def test_a_file_that_could_hold_script_is_saved_and_never_opened(client, sound):
    sound.metadata["mime"] = "text/html"
    sound.save()
    answer = client.get(f"/admin/files/{sound.pk}")
    assert received(answer) == b"0123456789"
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_why_it_did_not_run_is_said_on_the_node_that_something_happened_to(client, desk, person):
    watcher = make_user("leser", "graph.view_node", "orchestration.view_orchestration", "orchestration.view_run")
    Edge.objects.create(source=Node.objects.create(node_kind="person", user=watcher), target=desk, edge_type="member")
    talk = make_recording(desk, "Møtet")
    podcast = ({"has_trait": "podcast"},)
    running = make_recipe("Kjører", compiled([note("x")]), desk)
    make_recipe("Krever podkast", compiled([note("x")], conditions=podcast), desk)
    make_recipe("Utkast", compiled([note("x")]), desk, state="draft")
    make_recipe("Annen hendelse", compiled([note("x")], event="node.published"), desk)
    make_recipe("Annet sted", compiled([note("x")]), make_collection("Andre", watcher))
    make_recipe("Skjult", compiled([note("x")]), make_collection("Hemmelig"))
    add_tools()
    end(talk)
    asking = Client(headers={"accept-language": "nb"})
    asking.force_login(watcher)
    assert "venter på at en arbeider behandler hendelsen" in page_of(asking, talk)
    run = started(running)
    page = page_of(asking, talk)
    assert f"/admin/orchestration/run/{run.pk}/change/" in page
    assert "en betingelse var ikke oppfylt: samling har podcast" in page
    assert "oppskriften er ikke aktiv" in page
    for absent in ("Annen hendelse", "Annet sted", "Skjult"):
        assert absent not in page
    assert "Why didn" not in page_of(client, talk)  # a person who may not see recipes
    make_recipe("Sen", compiled([note("x")]), desk)
    assert "ville gjort det nå" in page_of(asking, talk)


def test_a_node_that_nothing_has_happened_to_says_so(desk):
    asking = Client(headers={"accept-language": "en"})
    asking.force_login(make_user("chief", superuser=True))
    talk, tag = make_node("communication", "Tomt"), make_node("tag", "emne")
    assert "Nothing that recipes wait for" in page_of(asking, talk)
    assert "Nothing that recipes wait for" not in page_of(asking, tag)


def test_the_waveform_is_drawn_from_the_peaks_and_nothing_else_is_put_into_the_page(client, desk, sound, tmp_path):
    peaks = FileStore(tmp_path).put_bytes(b'{"data": [-5, 7, -100, 120]}').digest
    sound.metadata["waveform"] = {"json_hash": peaks, "svg_hash": "x"}
    sound.save()
    assert '<path d="M0.5' in page_of(client, sound)
    for bad in (b'{"data": ["<script>"]}', b"<svg>", b'{"data": 3}', b"[]"):
        sound.metadata["waveform"] = {"json_hash": FileStore(tmp_path).put_bytes(bad).digest}
        sound.save()
        assert 'class="waveform"' not in page_of(client, sound)
    sound.metadata["waveform"] = {"json_hash": "f" * 64}
    sound.save()
    assert 'class="waveform"' not in page_of(client, sound)
