"""What the recipe editor asks while somebody writes: each answer, its right, and what is said to nonsense."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from orchestration.models import Orchestration, WorkItem
from orchestration.recipes import Draft, save
from synops.graph.models import GraphEvent, Node
from synops.tools import notify, rss, summarize, transcribe
from tests.orchestration.arrange import add_tools, end, make_recording
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

TEXT = """NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber lydfilen (stor modell)
   ved feil: transkriber lydfilen (medium modell)
2. oppsummer samtalen
ved feil: opprett oppgave "Se på {event.title}" (bug)
"""


@pytest.fixture
def kari() -> Any:
    add_tools(*(tool.DESCRIPTION.to_json() for tool in (notify, rss, summarize, transcribe)))
    return make_user("kari", "orchestration.view_orchestration", "orchestration.change_orchestration")


@pytest.fixture
def desk(kari: Any) -> Node:
    return make_collection("Redaksjonen", kari)


@pytest.fixture
def recipe(kari: Any, desk: Node) -> Orchestration:
    saved = save(Draft(text=TEXT, title="Podkast", collections=[desk.pk]), user=kari)
    found: Orchestration = Orchestration.objects.get(pk=saved.id)
    return found


def ask(user: Any, question: str, body: Any, status: int = 200) -> Any:
    client = Client(headers={"accept-language": "nb"})
    client.force_login(user)
    sent = body if isinstance(body, str) else json.dumps(body)
    response = client.post(
        f"/admin/orchestration/orchestration/editor/{question}/", sent, content_type="application/json"
    )
    assert response.status_code == status, response.content.decode()
    return response.json()


def test_a_check_has_the_places_of_mistakes_and_every_form_of_a_text_without(kari: Any):
    wrong = ask(kari, "check", {"text": "NÅR innspilling avsluttet\n\n1. 🎧 transkrirber lydfilen"})
    (found,) = wrong["diagnostics"]
    assert (found["code"], found["range"]["start"]["line"], found["range"]["start"]["col16"]) == ("ORK-301", 3, 6)
    assert wrong["forms"] == {"human": "", "technical": ""}
    right = ask(kari, "check", {"text": TEXT})
    assert "synops-transcribe --cas-hash {event.cas_hash}" in right["forms"]["technical"]
    assert right["trigger"] == {
        "event": "communication.ended",
        "conditions": [{"has_trait": "podcast"}],
        "schedule": None,
    }


def test_completion_knows_verbs_and_counts_in_code_points(kari: Any):
    answer = ask(kari, "complete", {"text": "NÅR innspilling avsluttet\n\n1. op", "line": 3, "col": 5})
    assert any(one["text"].startswith("oppsummer") for one in answer["proposals"])


def test_a_trial_says_which_condition_fails_and_names_each_fallback_by_what_it_does(
    kari: Any, recipe: Orchestration, desk: Node
):
    talk = make_recording(desk, "Møtet")
    end(talk)
    event = GraphEvent.objects.get(event="communication.ended", node_id=talk.pk)
    asked = {"text": TEXT, "recipe_id": str(recipe.pk), "event_id": str(event.pk)}
    tried = ask(kari, "trial", asked)
    assert tried["starts"] is False
    assert tried["reason"].endswith("samling har podcast")
    assert [(step["text"], step["command"][-1]) for step in tried["steps"][:2]] == [
        ("transkriber lydfilen (stor modell)", "--model=large"),
        ("transkriber lydfilen (medium modell)", "--model=medium"),
    ]
    assert tried["steps"][-1]["command"] == ["work_item", "Se på Møtet", "--tag=bug"]
    unsaved = ask(kari, "trial", {**asked, "text": TEXT.replace("HVIS samling har podcast\n", "")})
    assert (unsaved["inactive"], unsaved["reason"]) == (True, "oppskriften er ikke aktiv")
    on_node = ask(kari, "trial", {"text": TEXT, "recipe_id": str(recipe.pk), "node_id": str(talk.pk)})
    assert on_node["starts"] is False


def test_what_can_not_be_tried_is_said(kari: Any, recipe: Orchestration):
    hidden = make_recording(make_collection("Andre"), "Hemmelig")
    end(hidden)
    event = GraphEvent.objects.get(event="communication.ended", node_id=hidden.pk)
    asked = {"text": TEXT, "recipe_id": str(recipe.pk)}
    for choice, said in (
        ({"event_id": event.pk}, "ingen node"),
        ({"node_id": str(hidden.pk)}, "ingen node"),
        ({"event_id": 10**12}, "Velg en annen"),
        ({"node_id": "tull"}, "id"),
        ({"node_id": None}, "Velg"),
    ):
        assert said in ask(kari, "trial", {**asked, **choice}, 422)["error"]
    assert ask(kari, "trial", {**asked, "text": "tull", "node_id": str(hidden.pk)}, 422)["error"]


def test_a_tool_that_is_wanted_becomes_one_work_item_of_the_recipe(kari: Any, recipe: Orchestration):
    for _ in range(2):
        ask(kari, "want", {"text": TEXT, "recipe_id": str(recipe.pk), "phrase": "bak en kake"})
    item = WorkItem.objects.get()
    assert item.times == 2
    assert item.edges_out.filter(edge_type="source_material", target=recipe).exists()
    assert ask(kari, "want", {"recipe_id": str(uuid4()), "phrase": "x"}, 422)["error"]
    assert ask(kari, "want", {"recipe_id": str(recipe.pk), "phrase": " "}, 422)["error"]


def test_a_draft_is_a_proposal_with_three_checks(kari: Any):
    answer = ask(kari, "draft", {"text": "Når en innspilling er avsluttet, oppsummer samtalen", "executor": "bot"})
    assert [check["ok"] for check in answer["checks"]] == [True] * 3
    assert ask(kari, "draft", {"text": "  "}, 422)["error"]


@pytest.mark.parametrize("body", ["", "[]", "{", '{"text": 7}', "{}", '"x"'], ids=range(6))
def test_nonsense_is_refused_in_words(kari: Any, body: str):
    assert ask(kari, "check", body, 400)["error"]


def test_a_text_without_end_and_a_person_without_rights_are_refused(kari: Any):
    assert ask(kari, "check", {"text": "x" * 1_100_000}, 413)["error"]
    reader = make_user("leser", "orchestration.view_orchestration")
    assert ask(reader, "check", {"text": TEXT})["ok"]
    for question in ("draft", "want"):
        ask(reader, question, {"text": TEXT}, 403)
    for question in ("check", "complete", "trial", "draft", "want"):
        ask(make_user(f"fremmed-{question}"), question, {"text": TEXT}, 403)
