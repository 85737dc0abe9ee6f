"""The cascade map: where recipes stand, what a person sees of it, and edges drawn and removed on its page."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from django.test import Client

from orchestration.cascade_map import cascade_map, columns
from orchestration.circles import link
from synops.graph.models import Edge
from tests.orchestration.arrange import compiled, make_recipe, note
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db
URL = "/admin/cascade-map/"


@pytest.fixture
def editor():
    return make_user(
        "editor", "orchestration.view_orchestration", "orchestration.change_orchestration", "graph.view_node"
    )


@pytest.fixture
def desk(editor):
    return make_collection("desk", editor)


@pytest.fixture
def client(editor):
    client = Client(headers={"accept-language": "en"})
    client.force_login(editor)
    return client


def recipe(title, *collections):
    return make_recipe(title, compiled([note("x")]), *collections)


def test_each_recipe_stands_behind_what_starts_it_even_in_a_circle():
    a, b, c, d = (UUID(int=number) for number in range(1, 5))
    assert columns([a, b, c, d], {b: [a], c: [b, a], d: []}) == {a: 0, b: 1, c: 2, d: 0}
    circle = columns([a, b], {a: [b], b: [a]})
    assert sorted(circle.values()) == [0, 1]


def test_the_map_has_what_a_person_may_see_and_no_decimals(editor, desk):
    first, second = recipe("Først", desk), recipe("Så", desk)
    link(first.pk, second.pk)
    hidden = recipe("Skjult", make_collection("elsewhere"))
    Edge.objects.create(source=first, target=hidden, edge_type="triggers")
    talk = make_node("communication", "Møtet", into=desk)
    Edge.objects.create(source=second, target=talk, edge_type="observes")
    found = cascade_map(editor)
    assert {box.title for box in found.boxes} == {"Først", "Så", "Møtet"}
    assert {(arrow.kind, arrow.source, arrow.target) for arrow in found.arrows} == {
        ("triggers", "Først", "Så"),
        ("observes", "Så", "Møtet"),
    }
    places = {box.title: box.x for box in found.boxes}
    assert places["Møtet"] < places["Først"] < places["Så"]


def test_the_page_draws_in_whole_pixels_and_escapes_titles(client, desk):
    recipe("<script>alert(1)</script>", desk)
    page = client.get(URL, headers={"accept-language": "nb"}).content.decode()
    assert "<script>alert" not in page
    svg = page[page.index("<svg") : page.index("</svg>")]
    assert not re.search(r'(?:x|y|width|height|d)="[^"]*\d,\d', svg)


def test_without_recipes_it_says_how_to_begin(client):
    assert "no recipes yet" in client.get(URL).content.decode()


def test_edges_are_drawn_and_removed_by_form(client, desk):
    first, second = recipe("Først", desk), recipe("Så", desk)
    client.post(URL, {"recipe": first.pk, "kind": "triggers", "target": second.pk})
    edge = Edge.objects.get(source=first, edge_type="triggers")
    refused = client.post(URL, {"recipe": second.pk, "kind": "triggers", "target": first.pk})
    assert "ORK-801" in refused.content.decode()
    client.post(URL, {"remove": edge.pk})
    assert not Edge.objects.filter(source=first, edge_type="triggers").exists()
    talk = make_node("communication", "Møtet", into=desk)
    client.post(URL, {"recipe": first.pk, "kind": "observes", "target": talk.pk})
    watched = Edge.objects.get(source=first, edge_type="observes")
    client.post(URL, {"remove": watched.pk, "then": "everywhere"})
    first.refresh_from_db()
    assert first.metadata["observe_elsewhere"] is True


def test_who_may_only_look_draws_nothing(desk):
    first, second = recipe("Først", desk), recipe("Så", desk)
    reader = Client()
    reader.force_login(make_user("reader", "orchestration.view_orchestration"))
    assert reader.post(URL, {"recipe": first.pk, "kind": "triggers", "target": second.pk}).status_code == 403
    assert Client().get(URL).status_code == 302
    stranger = Client()
    stranger.force_login(make_user("stranger"))
    assert stranger.get(URL).status_code == 403


def test_the_language_and_its_codes_have_pages_in_the_readers_language(client):
    assert "<h2" in client.get("/admin/recipe-language/").content.decode()
    nb = client.get("/admin/ork/feil/ORK-301", headers={"accept-language": "nb"}).content.decode()
    assert "matcher ingen verktøy" in nb
    assert client.get("/admin/ork/feil/ORK-999").status_code == 404


def test_nodes_to_choose_from_say_their_kind_in_words(client, desk):
    recipe("Først", desk)
    make_node("communication", "Møtet", into=desk)
    for language, words in (("nb", "Møtet (samtale)"), ("en", "Møtet (conversation)")):
        assert words in client.get(URL, headers={"accept-language": language}).content.decode()
