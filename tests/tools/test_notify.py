from __future__ import annotations

import contextlib
import email
import email.policy
import json
import socketserver
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection

from synops.demo.data import DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node, update_node
from tests.tools.conftest import Workshop, rows, running_job


class MailServer(socketserver.ThreadingTCPServer):
    """A real server on a real socket that speaks as much of SMTP as a mail needs. `refusing` addresses are turned away."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Session)
        self.mails: list[email.message.EmailMessage] = []
        self.refusing = ""

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class Session(socketserver.StreamRequestHandler):
    server: MailServer

    def say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self) -> None:
        self.say("220 test")
        for raw in self.rfile:
            line = raw.decode().strip()
            word = line.upper().partition(" ")[0]
            if word == "DATA":
                self.say("354 go on")
                self.server.mails.append(self.mail())
                self.say("250 taken")
            elif word == "RCPT" and self.server.refusing and self.server.refusing in line:
                self.say("451 not now")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 yes")

    def mail(self) -> email.message.EmailMessage:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b"."))
        return email.message_from_bytes(b"".join(lines), policy=email.policy.default)


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def people(demo: DemoNodes) -> dict[str, UUID]:
    """Kari owns the collection, Ola is a member with a login, Per takes part in the conversation, Anne has nothing to do."""
    ola = User.objects.create_user("ola", "ola@example.org")
    with connection.cursor() as cur:
        for name in ("Kari", "Ola", "Per", "Anne"):
            metadata = {"email": "kari@example.org"} if name == "Kari" else {}
            insert_node(cur, Node(demo_id(name), "person", name, "", metadata))
        cur.execute("UPDATE nodes SET user_id = %s WHERE id = %s", [ola.pk, demo_id("Ola")])
        insert_edge(cur, Edge(demo_id("Kari"), "owner", demo.collection))
        insert_edge(cur, Edge(demo_id("Ola"), "member", demo.collection))
        insert_edge(cur, Edge(demo_id("Per"), "participant", demo.communication))
    return {name: demo_id(name) for name in ("Kari", "Ola", "Per", "Anne")}


def notices() -> list[tuple[Any, ...]]:
    return rows(
        """SELECT p.title, n.title, n.content, n.metadata FROM nodes n
           JOIN edges a ON a.source_id = n.id AND a.edge_type = 'addressed_to' JOIN nodes p ON p.id = a.target_id
           JOIN edges b ON b.source_id = n.id AND b.edge_type = 'belongs_to' AND b.target_id = %s
           WHERE n.node_kind = 'notice' ORDER BY 1""",
        demo_id("collection"),
    )


def test_each_group_gets_its_notices(database_workshop: Workshop, demo: DemoNodes, people: dict[str, UUID]) -> None:
    expected = {"participants": ["Per"], "editors": ["Kari", "Ola"], "owner": ["Kari"], "members": ["Kari", "Ola"]}
    node = f"--node-id={demo.communication}"
    for group, names in expected.items():
        done = database_workshop.run("synops-notify", f"--recipients={group}", node)
        assert sorted(done.result["would_notify"]) == names
        assert done.result["title"] == "News in Demo: Sense and Sensibility, chapter 1"
    assert notices() == []
    job = running_job(demo.collection, "notify")
    flags = ("--recipients=editors", node, "--message=Ny episode\nLytt nå!", "--write")
    first = database_workshop.run("synops-notify", *flags, **job).result
    # The job's second run tells nobody twice, and what a person has done with a notice stays.
    with connection.cursor() as cur:
        update_node(cur, UUID(first["notice_node_ids"][0]), metadata={"read_at": "2026-01-01T00:00:00Z"})
    assert database_workshop.run("synops-notify", *flags, **job).result == first
    assert (first["notified"], first["mailed"]) == (2, 0)
    assert [row[:3] for row in notices()] == [(name, "Ny episode", "Ny episode\nLytt nå!") for name in ("Kari", "Ola")]
    assert sum("read_at" in row[3] for row in notices()) == 1
    assert {json.loads(row[3])["about_id"] for row in notices()} == {str(demo.communication)}
    # Another job is another message.
    database_workshop.run("synops-notify", *flags, **running_job(demo.collection, "notify"))
    assert len(notices()) == 4


def test_mail_goes_out_once_and_the_rest_goes_out_later(
    database_workshop: Workshop, demo: DemoNodes, people: dict[str, UUID], mail_server: MailServer
) -> None:
    job = running_job(demo.collection, "notify") | {
        "SYNOPS_SMTP_URL": mail_server.url,
        "SYNOPS_MAIL_FROM": "Synops <post@example.org>",
    }
    flags = ("--recipients=editors", f"--node-id={demo.communication}", "--message=Æsj, en melding", "--write")
    mail_server.refusing = "ola@example.org"
    failed = database_workshop.run("synops-notify", *flags, **job)
    assert failed.code == 75
    assert "does not take mail now" in failed.stderr
    mail_server.refusing = ""
    assert database_workshop.run("synops-notify", *flags, **job).result["notified"] == 2
    assert database_workshop.run("synops-notify", *flags, **job).result["mailed"] == 0
    assert sorted(str(mail["To"]) for mail in mail_server.mails) == ["kari@example.org", "ola@example.org"]
    for mail in mail_server.mails:
        assert (str(mail["From"]), str(mail["Subject"])) == ("Synops <post@example.org>", "Æsj, en melding")
        assert mail.get_content().strip() == "Æsj, en melding"
    assert len({str(mail["Message-ID"]) for mail in mail_server.mails}) == 2


def test_what_can_not_be_told(database_workshop: Workshop, demo: DemoNodes, people: dict[str, UUID]) -> None:
    def ended(*flags: str, **environ: str) -> tuple[int, str]:
        done = database_workshop.run("synops-notify", *flags, "--write", **environ)
        return done.code, done.stderr + done.stdout

    node = f"--node-id={demo.communication}"
    job = running_job(demo.collection, "notify")
    assert ended("--recipients=everyone", node)[0] == 64
    assert ended("--recipients=participants", **job)[0] == 64
    assert ended("--recipients=editors", f"--node-id={demo_id('nothing')}")[0] == 66
    code, said = ended("--recipients=editors", node, **job, SYNOPS_SMTP_URL="http://mail")
    assert (code, "must be smtp://host:port" in said) == (78, True)
    code, said = ended("--recipients=editors", node, **job, SYNOPS_SMTP_URL="smtp://127.0.0.1:9")
    assert (code, "does not take mail now" in said) == (75, True)
    with connection.cursor() as cur, contextlib.suppress(LookupError):
        cur.execute("DELETE FROM edges WHERE edge_type = 'participant'")
    code, said = ended("--recipients=participants", node, **job)
    assert (code, "there are no participants to notify" in said) == (0, True)


def test_a_password_is_not_sent_in_the_clear(
    database_workshop: Workshop, demo: DemoNodes, people: dict[str, UUID], mail_server: MailServer
) -> None:
    url = mail_server.url.replace("//", "//user:secret@")
    done = database_workshop.run(
        "synops-notify", "--recipients=owner", f"--node-id={demo.communication}", "--write", SYNOPS_SMTP_URL=url
    )
    assert (done.code, "not sent in the clear" in done.stderr, "secret" in done.stderr) == (78, True, False)
    assert mail_server.mails == []
