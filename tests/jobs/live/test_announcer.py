"""The announcer on a real server: coalesced, in time, and honest after an outage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection, transaction

from jobs.live.address import direct_conninfo
from jobs.live.announcer import MAX_PENDING, Announcer, announce, process_announcer
from jobs.live.messages import CHANNEL, Change, decode
from tests.deadline import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


class Ear:
    """A connection that listens, and what it has heard."""

    def __init__(self) -> None:
        self.connection = psycopg.connect(direct_conninfo(), autocommit=True)
        self.connection.execute(f"LISTEN {CHANNEL}")
        self.heard: list[Change] = []

    def ids(self, kind: str = "job") -> set[UUID]:
        self.heard.extend(decode(notify.payload) for notify in self.connection.notifies(timeout=0.05))
        return {id for change in self.heard if change.kind == kind for id in change.ids}

    def resync(self) -> bool:
        self.ids()
        return any(change.resync for change in self.heard)


@pytest.fixture
def ear() -> Iterator[Ear]:
    ear = Ear()
    yield ear
    ear.connection.close()


@pytest.fixture
def announcer() -> Iterator[Announcer]:
    announcer = Announcer(direct_conninfo())
    yield announcer
    announcer.close()


def test_the_first_change_is_sent_at_once(ear: Ear, announcer: Announcer):
    announcer.changed("job", [])  # nothing changed, nothing starts
    assert announcer._thread is None
    job = uuid4()
    announcer.changed("job", [job])
    wait_until(lambda: ear.ids() == {job}, "the change heard")


def test_a_burst_is_coalesced_to_ten_messages_a_second(ear: Ear, announcer: Announcer):
    jobs = [uuid4() for _ in range(150)]
    started = time.monotonic()
    for job in jobs:
        announcer.changed("job", [job])
        announcer.changed("run", [jobs[0]])
    wait_until(lambda: ear.ids() == set(jobs), "every change heard")
    most = (time.monotonic() - started) * 10 + 1
    assert len([c for c in ear.heard if c.kind == "job"]) <= most
    assert ear.ids("run") == {jobs[0]}


def test_more_than_can_be_named_becomes_one_resync(ear: Ear, announcer: Announcer):
    announcer.changed("job", (uuid4() for _ in range(MAX_PENDING + 1)))
    wait_until(ear.resync, "resync heard")
    assert ear.ids() == set()


def test_after_a_lost_connection_it_says_resync(ear: Ear, announcer: Announcer):
    announcer.changed("job", [uuid4()])
    wait_until(ear.ids, "the first change")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'synops announcer' AND datname = current_database()"
        )
        assert cursor.fetchall() == [(True,)]
    announcer.changed("job", [uuid4()])
    wait_until(ear.resync, "resync after the outage")


def test_closing_sends_what_is_left(ear: Ear):
    announcer = Announcer(direct_conninfo(), interval_seconds=60)
    first, last = uuid4(), uuid4()
    announcer.changed("job", [first])
    wait_until(lambda: first in ear.ids(), "the first change")
    announcer.changed("job", [last])  # would wait for a minute
    announcer.close()
    wait_until(lambda: last in ear.ids(), "the last change")


def test_closing_does_not_wait_for_a_dead_database():
    announcer = Announcer("host=127.0.0.1 port=1 dbname=none connect_timeout=1")
    announcer.changed("job", [uuid4()])
    started = time.monotonic()
    announcer.close()
    assert time.monotonic() - started < 4


def test_announce_waits_for_the_commit(ear: Ear):
    rolled_back, committed = uuid4(), uuid4()
    with transaction.atomic():
        announce("job", [rolled_back])
        transaction.set_rollback(True)
    with transaction.atomic():
        announce("job", [committed])
        assert ear.ids() == set()
    wait_until(lambda: committed in ear.ids(), "the change after commit")
    assert rolled_back not in ear.ids()
    process_announcer().close()
    process_announcer.cache_clear()
