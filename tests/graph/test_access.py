"""`node_access` follows the edges, whoever writes them: grants, moves, deletions, two paths, cycles, races."""

from __future__ import annotations

import threading

import psycopg
import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection

from synops.graph.models import AccessEdgeType, Edge, Node, NodeAccess
from tests.graph.arrange import edge, login, node, person, roles, sees

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def test_a_member_sees_the_collection_and_what_belongs_to_it_and_nothing_else():
    kari, ola = person("Kari"), person("Ola")
    news, other = node("collection", "nyheter"), node("collection", "annet")
    edge(node("content", "sak"), "belongs_to", news)
    edge(node("content", "hemmelig"), "belongs_to", other)
    edge(kari, "member", news)
    assert sees(kari) == {"nyheter", "sak"}
    assert sees(ola) == set()
    assert roles(kari, news) == {"member"}


def test_what_arrives_later_is_seen_too_down_to_the_grandchildren():
    kari, news = person("Kari"), node("collection", "nyheter")
    edge(kari, "owner", news)
    desk = node("collection", "desk")
    edge(node("content", "sak"), "belongs_to", desk)
    edge(desk, "belongs_to", news)
    assert sees(kari) == {"nyheter", "desk", "sak"}


def test_deleting_the_edge_or_a_node_takes_the_access_away():
    kari, news, story = person("Kari"), node("collection", "nyheter"), node("content", "sak")
    membership = edge(kari, "member", news)
    edge(story, "belongs_to", news)
    membership.delete()
    assert sees(kari) == set()
    edge(kari, "member", news)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM nodes WHERE id = %s", [news.pk])
    assert sees(kari) == set()
    assert Node.objects.filter(pk=story.pk).exists()
    assert not Edge.objects.filter(target=news).exists()


def test_two_paths_to_one_node_and_one_of_them_goes():
    kari, first, second, story = (
        person("Kari"),
        node("collection", "a"),
        node("collection", "b"),
        node("content", "sak"),
    )
    edge(kari, "member", first)
    edge(kari, "owner", second)
    one = edge(story, "belongs_to", first)
    edge(story, "belongs_to", second)
    assert roles(kari, story) == {"member", "owner"}
    one.delete()
    assert roles(kari, story) == {"owner"}


def test_moving_a_node_to_another_collection_moves_its_access():
    kari, ola = person("Kari"), person("Ola")
    first, second, story = node("collection", "a"), node("collection", "b"), node("content", "sak")
    edge(kari, "member", first)
    edge(ola, "member", second)
    place = edge(story, "belongs_to", first)
    Edge.objects.filter(pk=place.pk).update(target=second)
    assert sees(kari) == {"a"}
    assert sees(ola) == {"b", "sak"}


def test_a_cycle_of_collections_ends():
    kari, a, b = person("Kari"), node("collection", "a"), node("collection", "b")
    edge(a, "belongs_to", b)
    edge(b, "belongs_to", a)
    edge(kari, "member", a)
    assert sees(kari) == {"a", "b"}
    Edge.objects.filter(source=b).delete()
    assert sees(kari) == {"a"}


def test_a_notice_is_seen_by_the_person_it_is_addressed_to_and_not_by_their_colleagues():
    kari, ola, news = person("Kari"), person("Ola"), node("collection", "nyheter")
    edge(kari, "member", news)
    edge(ola, "member", news)
    edge(kari, "belongs_to", news)
    edge(node("notice", "varsel"), "addressed_to", kari)
    assert "varsel" in sees(kari)
    assert sees(ola) == {"nyheter", "Kari"}


def test_a_person_without_a_login_gets_access_with_the_login():
    news, kari = node("collection", "nyheter"), node("person", "Kari")
    edge(kari, "member", news)
    assert not NodeAccess.objects.exists()
    kari.user = login("kari")
    kari.save()
    assert sees(kari) == {"nyheter"}
    user = kari.user
    Node.objects.filter(pk=kari.pk).update(user=None)
    assert not Node.objects.visible_to(user).exists()


def test_deleting_a_user_leaves_the_person_without_access_rows():
    kari, news = person("Kari"), node("collection", "nyheter")
    edge(kari, "member", news)
    assert kari.user is not None
    kari.user.delete()
    kari.refresh_from_db()
    assert kari.user_id is None
    assert not NodeAccess.objects.exists()


def test_which_edge_types_grant_is_data():
    kari, news = person("Kari"), node("collection", "nyheter")
    edge(kari, "reviewer", news)
    assert sees(kari) == set()
    AccessEdgeType.objects.create(edge_type="reviewer", effect="grants", role="reviewer")
    assert roles(kari, news) == {"reviewer"}
    AccessEdgeType.objects.filter(edge_type="reviewer").delete()
    assert sees(kari) == set()


def test_superusers_see_everything_and_strangers_and_the_inactive_nothing():
    kari, news = person("Kari"), node("collection", "nyheter")
    edge(kari, "member", news)
    root = User.objects.create_superuser("root")
    assert set(Node.objects.visible_to(root)) >= {kari, news}
    assert not Node.objects.visible_to(AnonymousUser()).exists()
    assert kari.user is not None
    kari.user.is_active = False
    assert not Node.objects.visible_to(kari.user).exists()


def test_only_a_person_can_have_a_login():
    from django.db import IntegrityError

    with pytest.raises(IntegrityError):
        node("content", "sak", user=login("kari"))


@pytest.mark.django_db(transaction=True)
def test_a_grant_and_a_new_node_in_two_transactions_do_not_miss_each_other():
    kari, news, story = person("Kari"), node("collection", "nyheter"), node("content", "sak")
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    insert = "INSERT INTO edges (source_id, target_id, edge_type) VALUES (%s, %s, %s)"
    with psycopg.connect(**parameters) as first, psycopg.connect(**parameters) as second:
        first.execute(insert, [kari.pk, news.pk, "member"])
        other = threading.Thread(target=second.execute, args=(insert, [story.pk, news.pk, "belongs_to"]))
        other.start()
        first.commit()
        other.join(20)
        second.commit()
    assert sees(kari) == {"nyheter", "sak"}
