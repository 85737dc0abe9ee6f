"""Work items over HTTP: asked for by a person, taken and answered by a program, approved by a person."""

from __future__ import annotations

import pytest
from django.test import Client

from orchestration.answers import ask_eventually
from orchestration.models import Orchestration
from orchestration.recipes import Draft, save
from synops.site.tokens import create_token
from synops.tools import summarize
from tests.orchestration.arrange import add_tools
from tests.people import make_collection, make_user
from tests.site.api.conftest import Api

pytestmark = pytest.mark.django_db
SCRIPT = "NÅR innspilling avsluttet\n1. oppsummer samtalen\n"


@pytest.fixture
def agent():
    return make_user("agent", "orchestration.answer_workitem")


@pytest.fixture
def author():
    return make_user("kari", "orchestration.change_orchestration")


@pytest.fixture
def item(agent, author):
    add_tools(summarize.DESCRIPTION.to_json())
    desk = make_collection("desk", agent, author)
    saved = save(Draft(text="Oppsummer alle møter", title="Møter", executor="bot", collections=[desk.pk]))
    return str(ask_eventually(author, saved.id))


def test_from_a_wish_to_an_approved_script(agent, author, item):
    api = Api(Client(), {"authorization": f"Bearer {create_token('agent', ['jobs'], agent)[1]}"})
    assert [one["id"] for one in api.get("/api/work_items", tag="script_request")["items"]] == [item]
    held = api.post("/intentions/claim_work_item", {"work_item_id": item})
    assert held["brief"]["recipe"]["text"].startswith("Oppsummer alle møter")
    assert api.get("/api/work_items")["items"] == []
    answer = {"work_item_id": item, "lease": held["lease"]}
    wrong = api.post("/intentions/answer_work_item", {**answer, "text": "NÅR noe skjer\n1. tryll"}, 422)
    assert wrong["record"]["ok"] is False
    api.post("/intentions/answer_work_item", {**answer, "lease": held["lease"] + 1, "text": SCRIPT}, 409)
    assert api.post("/intentions/answer_work_item", {**answer, "text": SCRIPT}, 202)["version"] == 2
    api.post("/intentions/approve_answer", {"work_item_id": item}, 401)  # a token approves nothing
    person = Client()
    person.force_login(author)
    Api(person, {}).post("/intentions/approve_answer", {"work_item_id": item})
    recipe = Orchestration.objects.get(title="Møter")
    assert (recipe.content.strip(), recipe.executor, recipe.state) == (SCRIPT.strip(), "script", "draft")


def test_a_claim_given_back_can_be_taken_again_and_two_do_not_hold_one(agent, item):
    api = Api(Client(), {"authorization": f"Bearer {create_token('agent', ['jobs'], agent)[1]}"})
    held = api.post("/intentions/claim_work_item", {"work_item_id": item, "seconds": 60})
    api.post("/intentions/release_work_item", {"work_item_id": item, "lease": held["lease"]})
    again = api.post("/intentions/claim_work_item", {"work_item_id": item})
    assert again["lease"] > held["lease"]
    api.post("/intentions/release_work_item", {"work_item_id": item, "lease": held["lease"]}, 409)
