"""Nodes, edges and events in the admin: one test for each way in which something unseen could show."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from synops.graph.models import Edge, GraphEvent, Node
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db

EVERYTHING = tuple(
    f"graph.{verb}_{model}" for verb in ("view", "add", "change", "delete") for model in ("node", "edge", "graphevent")
)


@pytest.fixture
def user() -> Any:
    return make_user("editor", *EVERYTHING)


@pytest.fixture
def client(user: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


@pytest.fixture
def own(user: Any) -> Node:
    return make_collection("Own", user)


@pytest.fixture
def hidden() -> Node:
    collection = make_collection("Hidden")
    make_node("hidden_kind", "Secret plan", into=collection)
    return collection


@pytest.mark.parametrize("model", ["node", "edge", "graphevent"])
def test_a_list_shows_only_what_the_person_may_see(client: Client, own: Node, hidden: Node, model: str):
    make_node("content", "Ours", into=own)
    page = client.get(f"/admin/graph/{model}/")
    shown = page.context["cl"].result_list
    assert shown
    for secret in ("Secret plan", "Hidden", str(hidden.pk), "hidden_kind"):
        assert secret not in page.content.decode()


@pytest.mark.parametrize("page", ["change", "history", "delete"])
def test_an_unseen_node_looks_like_one_that_does_not_exist(client: Client, hidden: Node, page: str):
    unseen = client.get(f"/admin/graph/node/{hidden.pk}/{page}/")
    missing = client.get(f"/admin/graph/node/{uuid4()}/{page}/")
    assert (unseen.status_code, unseen.headers["Location"]) == (missing.status_code, missing.headers["Location"])


def test_an_edge_is_seen_only_by_those_who_see_both_ends(client: Client, own: Node, hidden: Node):
    ours = make_node("content", "Ours", into=own)
    across = Edge.objects.create(source=ours, target=Node.objects.get(title="Secret plan"), edge_type="mentions")
    assert client.get(f"/admin/graph/edge/{across.pk}/change/").status_code == 302
    assert "mentions" not in client.get("/admin/graph/edge/").content.decode()


def test_an_event_of_a_deleted_node_is_for_superusers(client: Client, own: Node):
    node = make_node("content", "Gone", into=own)
    event = GraphEvent.objects.filter(node_id=node.pk).first()
    assert event
    assert client.get(f"/admin/graph/graphevent/{event.pk}/change/").status_code == 200
    node.delete()
    assert client.get(f"/admin/graph/graphevent/{event.pk}/change/").status_code == 302


def test_autocomplete_offers_only_what_the_person_may_see(client: Client, own: Node, hidden: Node):
    answer = client.get(
        "/admin/autocomplete/",
        {"app_label": "graph", "model_name": "edge", "field_name": "source", "term": "n"},
    )
    assert [result["id"] for result in json.loads(answer.content)["results"]] == [str(own.pk)]


def test_a_guessed_id_can_not_be_tied_to(client: Client, own: Node, hidden: Node):
    def draw(target: Any) -> str:
        data = {"source": str(own.pk), "edge_type": "mentions", "target": str(target), "metadata": "{}"}
        return client.post("/admin/graph/edge/add/", data).content.decode()

    assert "valid choice" in draw(hidden.pk)
    assert "valid choice" in draw(uuid4())
    assert not Edge.objects.filter(edge_type="mentions").exists()


def test_filters_offer_only_kinds_and_types_that_the_person_may_see(client: Client, own: Node, hidden: Node):
    make_node("content", "Ours", into=own)
    page = client.get("/admin/graph/node/")
    (spec,) = page.context["cl"].filter_specs
    assert {choice for choice, _ in spec.lookup_choices} == {"collection", "content", "person"}
    assert client.get("/admin/graph/node/?kind=hidden_kind").context["cl"].result_count == 0


def test_the_front_page_does_not_name_what_was_seen_before(client: Client, user: Any, hidden: Node):
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(Node),
        object_id=str(hidden.pk),
        object_repr="Secret plan",
        action_flag=CHANGE,
    )
    assert "Secret plan" not in client.get("/admin/").content.decode()


def test_access_is_given_only_by_those_who_may(client: Client, user: Any, own: Node):
    person = Node.objects.get(user=user)
    data = {"source": str(person.pk), "edge_type": "owner", "target": str(own.pk), "metadata": "{}"}
    assert "give access" in client.post("/admin/graph/edge/add/", data).content.decode()
    membership = Edge.objects.get(edge_type="member", source=person)
    assert client.post(f"/admin/graph/edge/{membership.pk}/delete/", {"post": "yes"}).status_code == 403

    boss = make_user("boss", *EVERYTHING, "graph.manage_access")
    make_collection("Second", boss)
    manager = Client()
    manager.force_login(boss)
    second = Node.objects.get(title="Second")
    data |= {"source": str(Node.objects.get(user=boss).pk), "target": str(second.pk)}
    assert manager.post("/admin/graph/edge/add/", data).status_code == 302
    assert Edge.objects.filter(edge_type="owner", target=second).exists()


def test_logins_are_tied_only_by_those_who_may(client: Client, own: Node):
    node = make_node("content", "Ours", into=own)
    assert 'name="user"' not in client.get(f"/admin/graph/node/{node.pk}/change/").content.decode()


def test_a_node_is_changed_and_its_metadata_stays_an_object(client: Client, own: Node):
    node = make_node("content", "Ours", into=own)
    data = {"title": "Changed", "content": "Æøå", "metadata": "[1]"}
    assert "Metadata is an object" in client.post(f"/admin/graph/node/{node.pk}/change/", data).content.decode()
    data["metadata"] = '{"slot": "hero"}'
    assert client.post(f"/admin/graph/node/{node.pk}/change/", data).status_code == 302
    node.refresh_from_db()
    assert (node.title, node.node_kind, node.metadata) == ("Changed", "content", {"slot": "hero"})


@pytest.mark.parametrize("kind", ["orchestration", "cli_tool", "work_item", "notice"])
def test_kinds_with_a_page_of_their_own_are_only_shown(client: Client, own: Node, kind: str):
    node = make_node(kind, "Ours", into=own)
    assert client.post(f"/admin/graph/node/{node.pk}/change/", {"title": "x"}).status_code == 403
    assert client.post(f"/admin/graph/node/{node.pk}/delete/", {"post": "yes"}).status_code == 403
    data = {"node_kind": kind, "title": "New", "content": "", "metadata": "{}"}
    assert "made on their own page" in client.post("/admin/graph/node/add/", data).content.decode()


def test_a_collection_is_not_deleted_in_passing(client: Client, own: Node):
    assert client.post(f"/admin/graph/node/{own.pk}/delete/", {"post": "yes"}).status_code == 403
    node = make_node("content", "Ours", into=own)
    assert client.post(f"/admin/graph/node/{node.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Node.objects.filter(pk=node.pk).exists()


def test_hostile_titles_are_only_text(client: Client, own: Node):
    evil = "<script>alert(1)</script>"
    node = make_node("content", evil, into=own, metadata={evil: evil})
    for address in ("/admin/graph/node/", "/admin/graph/edge/", f"/admin/graph/node/{node.pk}/change/"):
        assert "<script>alert" not in client.get(address).content.decode()
