"""Recipes and runs in the admin: what is saved, what is shown, who may."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from jobs.models import LogChunk
from orchestration.models import Orchestration, Run, RunStep
from synops.graph.models import Node
from tests.jobs.making import ended_job
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db

RIGHTS = tuple(
    f"orchestration.{name}"
    for name in (
        "view_orchestration",
        "add_orchestration",
        "change_orchestration",
        "view_run",
        "view_workitem",
    )
)
LIST = "/admin/orchestration/run/"
ADD = "/admin/orchestration/orchestration/add/"
MODE = {"executor": "script", "intelligence": "2", "effort": "2"}


@pytest.fixture
def editor() -> Any:
    return make_user("editor", *RIGHTS)


@pytest.fixture
def client(editor: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(editor)
    return client


@pytest.fixture
def podcast(editor: Any) -> Node:
    return make_collection("Podcast", editor)


def make_run(collection: Node, **fields: Any) -> Run:
    run = Run.objects.create(
        collection=collection, title="Podcast", compiled={}, trigger={"trigger_event": "communication.ended"}, **fields
    )
    RunStep.objects.create(
        run=run, step=1, text="<script>alert(1)</script>", tool="synops-rss", state="failed", finished_at=run.created_at
    )
    return run


def test_a_text_with_errors_is_saved_and_the_page_says_what_is_wrong(client: Client, podcast: Node):
    data = {
        "title": "Broken",
        "collections": [str(podcast.pk)],
        "content": "NÅR innspilling avsluttet\n\n1. bak en kake\n",
        **MODE,
    }
    response = client.post(ADD, data, follow=True)
    recipe = Orchestration.objects.get(title="Broken")
    assert "it has errors" in response.content.decode()
    page = client.get(f"/admin/orchestration/orchestration/{recipe.pk}/change/").content.decode()
    assert "bak en kake" in page
    assert "┌─" in page
    assert recipe.edges_out.get(edge_type="belongs_to").target_id == podcast.pk


def test_the_list_says_in_words_what_a_recipe_reacts_to(client: Client, podcast: Node):
    make_node("orchestration", "Feed", into=podcast, metadata={"trigger": {"event": "communication.ended"}})
    shown = client.get("/admin/orchestration/orchestration/").content.decode()
    assert '<td class="field-event">recording ended</td>' in shown


@pytest.mark.parametrize(
    ("event", "norwegian", "english"),
    [
        ("communication.ended", "innspilling avsluttet", "recording ended"),
        ("manual", "en person", "a person"),
        ("cascade", "en annen oppskrift", "another recipe"),
        ("unknown.event", "unknown.event", "unknown.event"),
    ],
)
def test_a_run_says_in_words_what_started_it(client: Client, podcast: Node, event: str, norwegian: str, english: str):
    run = make_run(podcast)
    Run.objects.update(trigger={"trigger_event": event})
    for language, words in (("nb", norwegian), ("en", english)):
        headers = {"accept-language": language}
        assert f'<td class="field-event">{words}</td>' in client.get(LIST, headers=headers).content.decode()
        page = client.get(f"{LIST}{run.pk}/change/", headers=headers).content.decode()
        assert f"<dd>{words}</dd>" in page


def test_a_recipe_is_put_only_where_the_person_may_see(client: Client, podcast: Node):
    hidden = make_collection("Hidden")
    data = {"title": "X", "collections": [str(hidden.pk)], "content": "NÅR innspilling avsluttet\n", **MODE}
    page = client.post(ADD, data).content.decode()
    assert "valid choice" in page
    assert "Hidden" not in page
    assert not Orchestration.objects.filter(title="X").exists()


def test_switching_on_needs_its_own_right_and_a_text_that_compiles(client: Client, podcast: Node):
    client.post(ADD, {"title": "Broken", "collections": [str(podcast.pk)], "content": "bak en kake", **MODE})
    recipe = Orchestration.objects.get(title="Broken")
    address = f"/admin/orchestration/orchestration/{recipe.pk}/activate/"
    assert client.post(address).status_code == 403
    boss = Client(headers={"accept-language": "en"})
    boss.force_login(make_user("boss", superuser=True))
    assert boss.get(address).status_code == 405
    response = boss.post(address, follow=True)
    assert 'class="error"' in response.content.decode()
    recipe.refresh_from_db()
    assert recipe.state == "draft"


def test_runs_and_their_steps_are_shown_to_the_collection_only(client: Client, editor: Any, podcast: Node):
    seen, hidden = make_run(podcast), make_run(make_collection("Hidden"))
    step = seen.steps.get()
    job = ended_job(podcast, "failed", "rss")
    LogChunk.objects.create(job=job, lease=1, seq=1, text="reading\nno <feed> here\n")
    RunStep.objects.filter(pk=step.pk).update(job_id=job.pk)
    listed = client.get("/admin/orchestration/run/").context["cl"].result_list
    assert [run.pk for run in listed] == [seen.pk]
    page = client.get(f"/admin/orchestration/run/{seen.pk}/change/").content.decode()
    assert "synops-rss" in page
    assert "<script>alert" not in page
    assert "no &lt;feed&gt; here" not in page  # a log is the job's, and asks the job's right
    client.force_login(make_user("boss", superuser=True))
    assert "no &lt;feed&gt; here" in client.get(f"/admin/orchestration/run/{seen.pk}/change/").content.decode()
    client.force_login(editor)
    assert client.get(f"/admin/orchestration/run/{hidden.pk}/change/").status_code == 302
    assert client.post(f"/admin/orchestration/run/{seen.pk}/change/", {}).status_code == 403
