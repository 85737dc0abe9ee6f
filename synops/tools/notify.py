"""synops-notify: tells people something: a notice in Synops, and a mail where a mail server is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from synops.store.people import Person
    from synops.store.sql import Cursor
    from synops.tools.call import Call

TITLES = {"nb": "Nytt i {}: {}", "nn": "Nytt i {}: {}", "en": "News in {}: {}"}
DEFAULT_SENDER = "synops@localhost"

DESCRIPTION = Description(
    name="synops-notify",
    version="0.1.0",
    description={
        "nb": "Varsler personer: et varsel i Synops, og e-post der en e-posttjener er satt opp.",
        "en": "Notifies people: a notice in Synops, and a mail where a mail server is configured.",
    },
    job_types=("notify",),
    rank=1,
    aliases={
        "nb": ("varsle", "gi beskjed til", "gi beskjed", "si fra til"),
        "nn": ("varsle", "gi beskjed til", "gi beskjed", "sei frå til"),
        "en": ("notify", "tell"),
    },
    suggest_for={
        "nb": ("send epost", "send e-post", "send mail", "send sms", "send melding", "ping", "ring"),
        "nn": ("send epost", "send e-post", "send melding", "ring"),
        "en": ("send email", "send mail", "send message", "call"),
    },
    params=(
        Param(
            name="recipients",
            type="string",
            required=True,
            enum={
                "participants": {
                    "nb": ("deltakere", "deltaker"),
                    "nn": ("deltakarar", "deltakar"),
                    "en": ("the participants", "participants"),
                },
                "editors": {"nb": ("redaksjon",), "nn": ("redaksjon",), "en": ("the editors", "editors")},
                "owner": {"nb": ("eier",), "nn": ("eigar",), "en": ("the owner", "owner")},
                "members": {
                    "nb": ("alle i samling", "medlemmer"),
                    "nn": ("alle i samling", "medlemmer"),
                    "en": ("everyone in the collection", "members"),
                },
            },
            description={
                "nb": "Hvem: deltakerne i noden, redaksjonen (eiere og medlemmer), eieren, eller alle i samlingen.",
                "en": "Whom: the node's participants, the editors (owners and members), the owner, or all in the collection.",
            },
        ),
        Param(
            name="message",
            type="text",
            slot={"kind": "text"},
            hints={"nb": ("melding",), "nn": ("melding",), "en": ("message",)},
            description={
                "nb": "Hva de får vite; uten tekst nevnes noden og samlingen.",
                "en": "What they are told; without a text the node and the collection are named.",
            },
        ),
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.node_id", "event.communication_id", "event.target_id"),
            description={"nb": "Noden det handler om.", "en": "The node that it is about."},
        ),
    ),
    outputs={"notified": "integer", "mailed": "integer", "notice_node_ids": "list"},
    database="write",
    settings=("SYNOPS_MAIL_FROM",),
    secrets=("SYNOPS_SMTP_URL",),
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-notify --recipients=participants --node-id=0190f5a6-0000-7000-8000-000000000001 --write",
        'synops-notify --recipients=editors --node-id=0190f5a6-0000-7000-8000-000000000001 --message="Ny episode" --write',
    ),
)


class Told(NamedTuple):
    """One person and the notice for them."""

    person: Person
    notice: UUID


class Matter(NamedTuple):
    """What people are told, and in which collection."""

    title: str
    text: str
    collection: UUID
    about: UUID


def work(call: Call) -> dict[str, Any]:
    """Notices in one transaction; mails after it, each marked when it is sent, so that a second run sends the rest."""
    from synops.tools.database import reading

    with reading(call) as cur:
        matter = _matter(call, cur)
        told = [Told(person, _notice_id(call, person)) for person in _recipients(call, cur, matter)]
    if not told:
        return {"skipped": f"there are no {call.payload['recipients']} to notify", "notified": 0, "mailed": 0}
    if not call.write:
        return {"notified": 0, "mailed": 0, "would_notify": [one.person.name for one in told], "title": matter.title}
    _store(call, matter, told)
    mailed = _mail(call, matter, told) if call.environ.get("SYNOPS_SMTP_URL") else 0
    return {"notified": len(told), "mailed": mailed, "notice_node_ids": [str(one.notice) for one in told]}


def _matter(call: Call, cur: Cursor) -> Matter:
    from synops.store.collections import UnknownCollection, collection_config
    from synops.store.nodes import UnknownNode, get_node
    from synops.store.segments import collections_of
    from synops.tools.failures import NoInput

    about = call.uuid("node_id")
    try:
        node = get_node(cur, about)
        found = [call.job.collection_id] if call.job else collections_of(cur, about)
        if not found:
            raise NoInput(f"node {about} belongs to no collection")
        collection = collection_config(cur, found[0])
    except (UnknownNode, UnknownCollection) as error:
        raise NoInput(str(error)) from error
    title = TITLES.get(collection.language, TITLES["nb"]).format(collection.title, node.title)
    message = (call.payload["message"] or "").strip()
    return Matter(message.split("\n")[0][:200] if message else title.rstrip(": "), message, found[0], about)


def _recipients(call: Call, cur: Cursor, matter: Matter) -> list[Person]:
    from synops.store.people import people_with

    wanted = call.payload["recipients"]
    if wanted == "participants":
        return people_with(cur, matter.about, ["participant"])
    if wanted == "owner":
        return people_with(cur, matter.about, ["owner"]) or people_with(cur, matter.collection, ["owner"])
    roles = ["owner", "member"] if wanted == "editors" else ["owner", "member", "participant"]
    return people_with(cur, matter.collection, roles)


def _notice_id(call: Call, person: Person) -> UUID:
    """A job tells a person once, however often it runs; each job is a new message. By hand each call is one."""
    from uuid import uuid4, uuid5

    from synops.store.identities import NAMESPACE

    return uuid5(NAMESPACE, f"notice:{call.job.id}:{person.id}") if call.job else uuid4()


def _store(call: Call, matter: Matter, told: Sequence[Told]) -> None:
    from synops.store.edges import Edge, insert_edge
    from synops.store.nodes import Node, insert_node, update_node
    from synops.tools.database import writing

    metadata = {"about_id": str(matter.about)}
    with writing(call) as cur:
        for one in told:
            # What has happened to it since (read, mailed) stays.
            if not update_node(cur, one.notice, title=matter.title, content=matter.text):
                insert_node(cur, Node(one.notice, "notice", matter.title, matter.text, metadata))
            insert_edge(cur, Edge(one.notice, "addressed_to", one.person.id))
            insert_edge(cur, Edge(one.notice, "belongs_to", matter.collection))


def _mail(call: Call, matter: Matter, told: Sequence[Told]) -> int:
    """Send what has not been sent; returns how many mails went out now."""
    from synops.store.nodes import get_node, update_node
    from synops.tools.database import reading, writing
    from synops.tools.mail import mail_server, message

    with reading(call) as cur:
        rest = [one for one in told if one.person.email and "emailed" not in get_node(cur, one.notice).metadata]
    if not rest:
        return 0
    sender = call.environ.get("SYNOPS_MAIL_FROM") or DEFAULT_SENDER
    with mail_server(call.environ) as server:
        for number, one in enumerate(rest, start=1):
            mail = message(sender, one.person.email, matter.title, matter.text or matter.title, str(one.notice))
            server.send_message(mail)
            with writing(call) as cur:
                update_node(cur, one.notice, metadata={"emailed": True})
            call.progress(number / len(rest), f"mailed {number} of {len(rest)}")
    return len(rest)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
