"""The page of download counts: what is counted, filtered and summed, and only for those who may see feed and episode."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from django.utils.timezone import localdate

from synops.graph.admin.rendering import day, hour
from synops.graph.models import DownloadCount, Edge, Node
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db
LIST = "/admin/graph/downloadcount/"


@pytest.fixture
def user() -> Any:
    return make_user("kari", "graph.view_downloadcount", "graph.view_node")


@pytest.fixture
def client(user: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


def count(episode: Node, feed: Node, downloads: int, app: str = "Overcast", days_ago: int = 0) -> None:
    day = localdate() - timedelta(days=days_ago)
    DownloadCount.objects.create(node=episode, collection=feed, day=day, app=app, downloads=downloads)


@pytest.fixture
def feed(user: Any) -> Node:
    own, other = make_collection("Ærlig talt", user), make_collection("Andres")
    episode = make_node("content", "Høst <i>i</i> nord", into=own)
    Edge.objects.create(source=episode, target=other, edge_type="belongs_to")
    count(episode, own, 40)
    count(episode, own, 2, "AntennaPod", days_ago=20)
    count(episode, own, 500, days_ago=400)
    count(episode, other, 7_777, "Secret")
    count(make_node("content", "Skjult", into=other), other, 8_888)
    return own


def shown(client: Client, query: str = "") -> tuple[str, list[int]]:
    """The sum above the list, and its downloads."""
    page = client.get(LIST + query)
    assert page.status_code == 200
    return page.context["subtitle"], [row.downloads for row in page.context["cl"].result_list]


def test_rows_of_the_viewers_feeds_with_their_sum(client: Client, feed: Node) -> None:
    assert shown(client) == ("542 downloads", [40, 2, 500])
    page = client.get(LIST).content.decode()
    assert "Høst &lt;i&gt;i&lt;/i&gt; nord" in page
    for secret in ("Andres", "Secret", "Skjult", "7777", "8888"):
        assert secret not in page
    assert client.get(f"{LIST}add/").status_code == 403


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("?days=7", [40]),
        ("?days=30", [40, 2]),
        ("?days=365&app=AntennaPod", [2]),
        ("?app=Secret", []),
        ("?collection=no-id", []),
        ("?q=høst", [40, 2, 500]),
        ("?q=vår", []),
    ],
)
def test_filters(client: Client, feed: Node, query: str, rows: list[int]) -> None:
    assert shown(client, query)[1] == rows


def test_one_feed_of_several(client: Client, feed: Node) -> None:
    assert shown(client, f"?collection={feed.pk}&days=30") == ("42 downloads", [40, 2])
    hidden = Node.objects.get(title="Andres")
    assert shown(client, f"?collection={hidden.pk}") == ("0 downloads", [])


def test_no_counts_and_no_right(client: Client) -> None:
    assert shown(client) == ("0 downloads", [])
    stranger = Client()
    stranger.force_login(make_user("per", "graph.view_node"))
    assert stranger.get(LIST).status_code == 403


def test_the_list_asks_little_however_many_rows_it_shows(
    client: Client, feed: Node, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        count(make_node("content", f"Episode {number}", into=feed), feed, 1, days_ago=1)
    client.get(LIST)
    with django_assert_max_num_queries(20):
        client.get(LIST)


@pytest.mark.parametrize(("language", "words"), [("nb", "30. nov 2026"), ("en", "30 Nov 2026")])
def test_a_day_is_written_as_the_language_has_it(language: str, words: str):
    with translation.override(language):
        assert day(date(2026, 11, 30)) == words
        assert hour(datetime(2026, 11, 30, 12, tzinfo=UTC)).startswith(words.removesuffix(" 2026"))
