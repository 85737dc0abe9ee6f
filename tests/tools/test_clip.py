from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from synops.demo.data import DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node, update_node
from synops.store.sql import load
from synops.tools.clip import links_in
from synops.tools.failures import BadInput
from synops.tools.webpage import article_of, same_page
from tests.tools.conftest import Outcome, Workshop, rows, running_job
from tests.tools.strange_server import StrangeServer, response, strange_server

PAGE = (Path(__file__).parents[1] / "data" / "tools" / "page.html").read_bytes()


@pytest.fixture
def server() -> Iterator[StrangeServer]:
    with strange_server() as server:
        server.answers |= {
            "/sak": response(PAGE),
            "/kort": response(b"", "302 Found", Location="/sak"),
            "/borte": response(b"", "404 Not Found"),
        }
        yield server


def add(name: str, kind: str, title: str = "", content: str = "", **metadata: Any) -> UUID:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(demo_id(name), kind, title, content, metadata))
        insert_edge(cur, Edge(demo_id(name), "belongs_to", demo_id("collection")))
    return demo_id(name)


def clip(workshop: Workshop, demo: DemoNodes, server: StrangeServer, *flags: str, **environ: str) -> Outcome:
    job = running_job(demo.collection, "research_clip") | {"SYNOPS_CLIP_ALLOWED_HOSTS": f"x.example:1 {server.address}"}
    return workshop.run("synops-clip", "--write", *flags, **(job | environ))


def test_a_shared_page_becomes_a_clip_with_source_and_topics_once(
    database_workshop: Workshop, demo: DemoNodes, server: StrangeServer
) -> None:
    topics = [add(title, "topic", title) for title in ("Skolestruktur", "Romfart")]
    short, long = server.url("/kort"), server.url("/sak?utm_source=x")
    note = add("melding", "content", "Se her", f"Denne: <{short}>, og ({long}).", url=server.url("/borte"))
    result = clip(database_workshop, demo, server, f"--node-id={note}").result
    node = result["clip_node_id"]
    assert [item["clip_node_id"] for item in result["clips"]] == [node, node]
    assert [(item["url"], "answers 404" in item["reason"]) for item in result["failed"]] == [
        (server.url("/borte"), True)
    ]
    assert (result["title"], result["author"], result["published"]) == (
        "Vil bygge skole",
        "Anne Journalist",
        "2026-10-12",
    )
    assert (result["engine"], result["quality"], result["language"]) == ("extractive", "draft", "nb")
    assert result["summary"].startswith("Kommunestyret i Lillevik vedtok tirsdag kveld")
    [(kind, title, content, text)] = rows(
        "SELECT node_kind, title, content, metadata::text FROM nodes WHERE id = %s", node
    )
    metadata = json.loads(text)
    assert (kind, title, metadata["url"]) == ("research_clip", "Vil bygge skole", server.url("/sak"))
    assert metadata["requested"] == sorted([short, server.url("/sak")])
    assert all(sentence in content for sentence in result["summary"].split(". ")[:1])
    assert "informasjonskapsler" not in content.lower()
    edges = rows(
        """SELECT e.edge_type, coalesce(nullif(o.title, ''), o.node_kind), e.metadata ->> 'state', e.source_id = %s FROM edges e
           JOIN nodes o ON o.id = CASE WHEN e.source_id = %s THEN e.target_id ELSE e.source_id END
           WHERE %s IN (e.source_id, e.target_id) ORDER BY 1, 2""",
        node, node, node,
    )  # fmt: skip
    assert edges == [
        ("about", "Skolestruktur", "proposed", True),
        ("belongs_to", "Demo", None, True),
        ("shares", "Se her", None, False),
        ("source", "Lilleviksavisa", None, True),
    ]
    assert [item["node_id"] for item in result["topics"]] == [str(topics[0])]
    asked = list(server.asked)
    with connection.cursor() as cur:  # a person decides; a later run does not undo it
        insert_edge(cur, Edge(UUID(node), "about", topics[0], {"state": "rejected"}))
        update_node(cur, note, metadata={"url": None})
    events = rows("SELECT count(*) FROM graph_events")
    again = clip(database_workshop, demo, server, f"--node-id={note}").result
    assert ([item["already"] for item in again["clips"]], again["summary"]) == ([True, True], result["summary"])
    assert clip(database_workshop, demo, server, f"--url={server.url('/sak#del')}").result["clip_node_id"] == node
    assert server.asked == asked
    assert clip(database_workshop, demo, server, f"--url={short}", "--refresh").result["already"] is False
    assert rows("SELECT count(*) FROM graph_events") == events
    assert rows("SELECT metadata ->> 'state' FROM edges WHERE edge_type = 'about'") == [("rejected",)]


def test_a_model_summarises_where_one_is_configured(
    database_workshop: Workshop, demo: DemoNodes, server: StrangeServer
) -> None:
    chunks = [
        {"model": "m", "choices": [{"index": 0, "delta": {"content": "En ny skole."}, "finish_reason": "stop"}]},
        {"model": "m", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}},
    ]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    server.answers["/v1/chat/completions"] = response(body.encode(), kind="text/event-stream")
    model = {"SYNOPS_LLM_BASE_URL": server.url("/v1"), "SYNOPS_LLM_MODEL": "m", "SYNOPS_LLM_API_KEY": "k"}
    result = clip(database_workshop, demo, server, f"--url={server.url('/sak')}", **model).result
    assert (result["summary"], result["engine"], result["model"]) == ("En ny skole.", "llm", "m")
    assert result["usage"]["prompt_tokens"] == 9


def test_what_can_not_be_clipped(database_workshop: Workshop, demo: DemoNodes, server: StrangeServer) -> None:
    def failed(*flags: str, **environ: str) -> tuple[int, str]:
        done = clip(database_workshop, demo, server, *flags, **environ)
        return done.code, done.stderr.splitlines()[-1]

    server.answers["/tom"] = response(b"<html><script>render()</script></html>")
    code, said = failed("--url=http://127.0.0.1:1/")
    assert (code, "127.0.0.1 is refused: resolves to 127.0.0.1" in said) == (65, True)
    assert failed(f"--url={server.url('/borte')}")[0] == 65
    code, said = failed(f"--url={server.url('/tom')}")
    assert (code, "no text to clip" in said) == (65, True)
    code, said = failed("--url=http://nothing.invalid/")
    assert (code, "could not be fetched (name not resolved)" in said) == (75, True)
    assert failed()[0] == failed("--url=x", f"--node-id={demo.communication}")[0] == 64
    assert failed(f"--node-id={demo_id('nothing')}")[0] == 66
    assert failed(f"--url={server.url('/sak')}", SYNOPS_LEASE="9")[0] == 75
    empty = add("tom", "content", "Uten lenke")
    assert "skipped" in clip(database_workshop, demo, server, f"--node-id={empty}").result
    assert rows("SELECT count(*) FROM nodes WHERE node_kind IN ('research_clip', 'source')") == [(0,)]


def test_by_hand_a_page_is_shown_and_not_kept(
    database_workshop: Workshop, demo: DemoNodes, server: StrangeServer
) -> None:
    allowed = {"SYNOPS_CLIP_ALLOWED_HOSTS": server.address}
    shown = database_workshop.run("synops-clip", f"--url={server.url('/sak')}", **allowed).result
    assert shown["clip_node_id"] is None
    assert "Kommunestyret i Lillevik" in shown["text"]
    assert database_workshop.run("synops-clip", f"--url={server.url('/sak')}", "--write", **allowed).code == 64
    assert rows("SELECT count(*) FROM nodes WHERE node_kind = 'research_clip'") == [(0,)]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("Se https://x.no/a_(b), og (https://y.no/c).", ["https://x.no/a_(b)", "https://y.no/c"]),
        ("[navn](https://x.no/å?b=1&c=2) **https://x.no/å?b=1&c=2**!", ["https://x.no/å?b=1&c=2"]),
        ('<a href="HTTPS://X.no">x</a> www.x.no ftp://x.no', ["HTTPS://X.no"]),
    ],
)
def test_links_in_texts(text: str, links: list[str]) -> None:
    assert links_in(text) == links


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ('<!doctype html><HTML class="a" lang=nn-NO>', "nn"),
        ("<html lang='SV'>", "sv"),
        ('<html lang="no">', "nb"),
        ('<html lang="en-US">', "nb"),
        ('<html data-lang="da">', "nb"),
        ("<html>", "nb"),
    ],
)
def test_a_page_is_believed_to_be_scandinavian_and_else_read(head: str, language: str) -> None:
    words = "Kommunestyret vedtok i går kveld å bygge en ny skole, og ordføreren var glad for det. " * 5
    page = f"{head}<head><title>Sak</title></head><body><article><p>{words}</p></article></body></html>"
    assert article_of(page.encode(), "utf-8", "https://x.no/").language == language


def test_one_spelling_for_one_page() -> None:
    assert same_page("HTTPS://Eks.NO:443/Sti?utm_source=x&b=1&fbclid=y#del") == "https://eks.no/Sti?b=1"
    assert same_page("http://x.no") == same_page("http://x.no:80/") == "http://x.no/"
    assert same_page("http://[::1]:8/?b=%20") == "http://[::1]:8/?b=%20"


@pytest.mark.parametrize("body", [b"", b"<div>" * 20_000, bytes(range(256)) * 400, b"<table>" * 2000, b"<!--" * 5000])
def test_broken_pages_end(body: bytes) -> None:
    with pytest.raises(BadInput):
        article_of(body, "", "https://x.no/")


def test_a_clip_is_found_by_its_index(database_workshop: Workshop, demo: DemoNodes) -> None:
    with connection.cursor() as cur:
        cur.execute(
            """WITH made AS (
                 INSERT INTO nodes (node_kind, metadata)
                 SELECT 'research_clip', jsonb_build_object('requested', jsonb_build_array('u' || n))
                 FROM generate_series(1, 3000) n RETURNING id)
               INSERT INTO edges (source_id, target_id, edge_type) SELECT id, %s, 'belongs_to' FROM made""",
            [demo.collection],
        )
        cur.execute("ANALYZE nodes, edges")
        cur.execute("EXPLAIN " + load("synops.store", "find_clip"), {"collection": demo.collection, "url": "u7"})
        plan = "\n".join(row[0] for row in cur.fetchall())
    assert "nodes_research_clip_url" in plan
