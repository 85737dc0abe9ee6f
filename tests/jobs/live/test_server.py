"""The live view in the real server process, watched by a real WebSocket client."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.test import Client
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from jobs.live.address import direct_conninfo
from jobs.live.announcer import Announcer
from jobs.models import Job
from tests.jobs.making import make_job
from tests.people import make_collection, make_user
from tests.web import WebServer, web_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup: None, django_db_blocker: Any) -> Iterator[WebServer]:
    with web_server() as server:
        yield server


@pytest.fixture
def announcer() -> Iterator[Announcer]:
    announcer = Announcer(direct_conninfo())
    yield announcer
    announcer.close()


def session_of(user: User | None) -> str:
    if user is None:
        return ""
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def open_socket(server: WebServer, user: User | None, origin: str | None = None) -> ClientConnection:
    headers = {"Cookie": f"sessionid={session_of(user)}"}
    wanted = Origin(origin or server.url)
    return connect(f"ws://{server.address}/live/", additional_headers=headers, origin=wanted, legacy=True)


def watch(socket: ClientConnection, *jobs: Job, lists: list[str] | None = None) -> None:
    """Say what the page shows, and wait until the server hears of changes to it."""
    socket.send(json.dumps({"watch": {"job": [str(job.pk) for job in jobs]}, "lists": lists or []}))
    if not receive(socket, "watching")["hearing"]:
        receive(socket, "resync")


def read(socket: ClientConnection, seconds: float = 10) -> Any:
    """The next message, acknowledged like a page does."""
    message = json.loads(socket.recv(seconds))
    if message["type"] != "watching":
        with suppress(ConnectionClosed):
            socket.send('{"ack":true}')
    return message


def receive(socket: ClientConnection, wanted: str) -> Any:
    """The next message of the wanted type."""
    while (message := read(socket))["type"] != wanted:
        pass
    return message


def close_code(socket: ClientConnection, seconds: float = 10) -> int | None:
    with suppress(ConnectionClosed):
        while True:
            socket.recv(seconds)
    return socket.close_code


def test_a_member_gets_the_fields_that_changed_and_nobody_else_does(server: WebServer, announcer: Announcer):
    member, other = make_user("member", "jobs.view_job"), make_user("other", "jobs.view_job")
    job = make_job(make_collection("Podcast", member))
    with open_socket(server, member) as seeing, open_socket(server, other) as blind:
        watch(seeing, job)
        watch(blind, job, lists=["job"])
        announcer.changed("job", [job.pk])
        (row,) = receive(seeing, "changes")["rows"]
        assert (row["kind"], row["id"], row["fields"]["state"]) == ("job", str(job.pk), "pending")

        Job.objects.filter(pk=job.pk).update(priority=7)
        announcer.changed("job", [job.pk])
        (row,) = receive(seeing, "changes")["rows"]
        assert row["fields"] == {"priority": 7}
        with pytest.raises(TimeoutError):
            blind.recv(0.3)


def test_lost_access_ends_the_news_at_once(server: WebServer, announcer: Announcer):
    member = make_user("member", "jobs.view_job")
    collection = make_collection("Podcast", member)
    job = make_job(collection)
    with open_socket(server, member) as socket:
        watch(socket, job, lists=["job"])
        collection.edges_in.all().delete()
        Job.objects.filter(pk=job.pk).update(priority=7)
        announcer.changed("job", [job.pk])
        with pytest.raises(TimeoutError):
            socket.recv(0.5)


def test_a_list_hears_that_there_is_something_new(server: WebServer, announcer: Announcer):
    member = make_user("member", "jobs.view_job")
    collection = make_collection("Podcast", member)
    with open_socket(server, member) as socket:
        watch(socket, lists=["job"])
        announcer.changed("job", [make_job(collection).pk])
        assert receive(socket, "changes") == {"type": "changes", "rows": [], "others": ["job"]}


@pytest.mark.parametrize(
    ("permissions", "staff", "code"),
    [(None, False, 4401), (("jobs.view_job",), False, 4403), ((), True, 4403)],
    ids=["stranger", "no staff", "no right"],
)
def test_strangers_are_accepted_and_told_why_they_must_go(
    server: WebServer, permissions: tuple[str, ...] | None, staff: bool, code: int
):
    user = None if permissions is None else make_user("somebody", *permissions, staff=staff)
    with open_socket(server, user) as socket:
        assert close_code(socket) == code


def test_a_page_of_another_site_is_refused(server: WebServer):
    user = make_user("member", "jobs.view_job")
    with pytest.raises(Exception, match="403"):
        open_socket(server, user, origin="https://evil.example")


def test_nonsense_closes_the_socket(server: WebServer):
    user = make_user("member", "jobs.view_job")
    for nonsense in ("{", '{"watch": {"job": ["x"]}}', "[1]", "x" * 20_000, b"\x00"):
        with open_socket(server, user) as socket:
            socket.send(nonsense)
            assert close_code(socket) == 4400, nonsense


def test_too_many_rows_messages_and_sockets_are_refused(server: WebServer):
    user = make_user("member", "jobs.view_job")
    ids = [f"00000000-0000-0000-0000-{number:012}" for number in range(201)]
    with open_socket(server, user) as socket:
        socket.send(json.dumps({"watch": {"job": ids}}))
        assert close_code(socket) == 4429
    with open_socket(server, user) as socket:
        for _ in range(61):
            socket.send('{"watch": {}}')
        assert close_code(socket) == 4429
    with ExitStack() as stack:
        for _ in range(20):
            watch(stack.enter_context(open_socket(server, user)))
        with open_socket(server, user) as one_more:
            assert close_code(one_more) == 4429


def test_after_a_lost_listener_the_pages_are_told_to_fetch(server: WebServer, announcer: Announcer):
    user = make_user("member", "jobs.view_job")
    job = make_job(make_collection("Podcast", user))
    with open_socket(server, user) as socket:
        watch(socket, job)
        with psycopg.connect(direct_conninfo(), autocommit=True) as admin:
            killed = admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'synops listener' AND datname = current_database()"
            )
            assert killed.fetchall() == [(True,)]
        receive(socket, "resync")
        announcer.changed("job", [job.pk])
        assert receive(socket, "changes")["rows"][0]["id"] == str(job.pk)


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
def test_at_shutdown_every_browser_is_told_and_the_process_ends_well(with_signal: signal.Signals):
    user = make_user("member", "jobs.view_job")
    job = make_job(make_collection("Podcast", user))
    with web_server() as server, open_socket(server, user) as first, open_socket(server, user) as second:
        watch(first, job)
        watch(second, job, lists=["job"])
        assert server.stop(with_signal) == 0, server.log()
        assert [close_code(first), close_code(second)] == [4503, 4503]
        assert "Traceback" not in server.log()
