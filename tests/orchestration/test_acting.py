"""Runs in the hands of people: starting, cancelling, running again, going on, each with its right and its audit entry."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from orchestration import acting
from orchestration.acting import UnknownRun
from orchestration.manual import Wish
from orchestration.models import Orchestration, Run
from orchestration.recipes import Draft, activate, save
from orchestration.step_texts import texts_of
from synops.graph.models import Edge, Node
from synops.tools.rss import DESCRIPTION as RSS
from synops.tools.transcribe import DESCRIPTION as TRANSCRIBE
from tests.orchestration.arrange import end, make_recording, run_next, started, steps_of
from tests.orchestration.drafting.conftest import put_tool
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db

RIGHTS = ("orchestration.view_run", acting.START, acting.CANCEL, acting.RERUN)
TEXT = """NÅR innspilling avsluttet

1. transkribere lydfila (stor modell)
   ved feil: transkriber lydfilen (medium modell)
2. oppdater rss-feed

ved feil: opprett oppgave "Pipeline feilet" (bug)
"""


@pytest.fixture
def editor():
    return make_user("Kari", *RIGHTS)


@pytest.fixture
def recipe(editor) -> Orchestration:
    put_tool(RSS.to_json())
    put_tool(TRANSCRIBE.to_json())
    home = make_collection("Podcast", editor)
    saved = save(Draft(text=TEXT, title="Podkast", collections=[home.pk]))
    activate(saved.id)
    end(make_recording(home))
    return Orchestration.objects.get(pk=saved.id)


@pytest.fixture
def client(editor) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(editor)
    return client


def failed_run(recipe) -> Run:
    run = started(recipe)
    run_next("whisper_transcribe", "failed", error="no", permanent=True, exit_code=65)
    run_next("whisper_transcribe", result={"segments": 1})
    run_next("rss", "failed", error="no", permanent=True, exit_code=65)
    run.refresh_from_db()
    assert run.status == "failed"
    return run


def audited(run_id) -> list[str]:
    return [entry.change_message for entry in LogEntry.objects.filter(object_id=str(run_id))]


def test_a_run_is_cancelled_once_and_audited(recipe, editor):
    run = started(recipe)
    assert acting.cancel(editor, run.pk)
    assert not acting.cancel(editor, run.pk)
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert audited(run.pk) == ["Cancelled."]


def test_going_on_keeps_what_succeeded_and_running_again_does_not(recipe, editor):
    run = failed_run(recipe)
    onward = Run.objects.get(pk=acting.continue_from_failed(editor, run.pk))
    assert steps_of(onward) == [(1, 1, "synops-transcribe", "succeeded"), (2, 0, "synops-rss", "started")]
    whole = Run.objects.get(pk=acting.rerun(editor, run.pk))
    assert steps_of(whole) == [(1, 0, "synops-transcribe", "started")]
    assert {onward.user_id, whole.user_id} == {editor.pk}
    assert audited(onward.pk) == ["Continued from the failed step."]
    assert audited(whole.pk) == ["Run again."]


def test_each_needs_its_right_and_to_see_the_run(recipe, editor):
    run = failed_run(recipe)
    stranger, clerk = make_user("Fremmed", *RIGHTS), make_user("Per")
    for act in (acting.cancel, acting.rerun, acting.continue_from_failed):
        with pytest.raises(UnknownRun):
            act(stranger, run.pk)
        with pytest.raises(UnknownRun):
            act(editor, uuid4())
        with pytest.raises(PermissionError):
            act(clerk, run.pk)
    with pytest.raises(PermissionError):
        acting.start(clerk, Wish(recipe.pk, user=clerk))
    with pytest.raises(PermissionError):
        acting.start(editor, Wish(recipe.pk, user=None))


def test_fallbacks_say_what_they_do_and_steps_what_their_author_wrote(recipe, client):
    run = failed_run(recipe)
    assert texts_of(run)[0, 0] == 'opprett oppgave "Pipeline feilet" (bug)'
    page = client.get(f"/admin/orchestration/run/{run.pk}/change/").content.decode()
    assert "transkribere lydfila (stor modell)" in page
    assert "transkriber lydfilen (medium modell)" in page
    assert "opprett oppgave" in page


def test_a_run_of_another_schema_or_a_tool_that_is_gone_still_has_a_page(recipe, client):
    run = failed_run(recipe)
    Run.objects.filter(pk=run.pk).update(compiled={"schema": 0})
    page = client.get(f"/admin/orchestration/run/{run.pk}/change/")
    assert page.status_code == 200
    assert "synops-transcribe" in page.content.decode()


def test_somebody_who_may_not_see_runs_comes_back_to_the_recipe(recipe, client):
    starter = make_user("Nora", "orchestration.view_orchestration", acting.START)
    home = Node.objects.get(node_kind="collection", title="Podcast")
    Edge.objects.create(source=make_node("person", user=starter), target=home, edge_type="member")
    client.force_login(starter)
    node = Node.objects.get(node_kind="communication")
    address = f"/admin/orchestration/orchestration/{recipe.pk}"
    page = client.post(f"{address}/run/", {"node": str(node.pk)}, follow=True)
    assert page.redirect_chain == [(f"{address}/change/", 302)]
    assert "The run has started." in page.content.decode()
    assert Run.objects.get().user_id == starter.pk


def test_the_buttons_of_the_page(recipe, client, editor):
    run = started(recipe)
    address = f"/admin/orchestration/run/{run.pk}"
    assert "/cancel/" in client.get(f"{address}/change/").content.decode()
    assert client.get(f"{address}/cancel/").status_code == 405
    said = client.post(f"{address}/rerun/", follow=True).content.decode()
    assert "not over yet" in said
    client.post(f"{address}/cancel/")
    run.refresh_from_db()
    assert run.status == "cancelled"
    page = client.get(f"{address}/change/").content.decode()
    assert "/cancel/" not in page
    answer = client.post(f"{address}/rerun/")
    new = Run.objects.get(rerun_of=run.pk)
    assert answer.headers["Location"].endswith(f"{new.pk}/change/")
    client.force_login(make_user("Per", "orchestration.view_run"))
    assert client.post(f"{address}/rerun/").status_code == 403
