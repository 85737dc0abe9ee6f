from __future__ import annotations

import html
import io
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from jobs.graph_writes import delete_edge, insert_edge
from orchestration.events import consume
from synops.demo.data import DemoNodes, demo_id
from synops.store.edges import Edge
from synops.store.edges import insert_edge as join
from synops.store.nodes import Node, insert_node, update_node
from synops.store.sql import load
from tests.tools.articles import add_article, index, public, render, words
from tests.tools.conftest import Workshop, rows, running_job

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(200)


def test_an_article_and_the_index_twice_the_same_bytes(website: Workshop, demo: DemoNodes) -> None:
    picture = website.store.put_bytes(PICTURE).digest
    sound = website.store.put_bytes(b"ID3" + bytes(300)).digest
    secret = website.store.put_bytes(b"ID3" + bytes(500)).digest
    node = add_article(
        "Ærlig talt: Ø & Å <b>",
        "# Inn\n\nFørst *dette*.\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\nSå[^1].\n\n[^1]: Fot.",
        author="Kari",
    )
    with connection.cursor() as cur:
        for name, metadata in {
            "bilde": {"cas_hash": picture, "mime": "image/png"},
            "lest": {"cas_hash": sound, "mime": "audio/mpeg", "speech_of": str(node)},
            "opptak": {"cas_hash": secret, "mime": "audio/mpeg"},
        }.items():
            insert_node(cur, Node(demo_id(name), "media", name, "", metadata))
            join(cur, Edge(node, "has_media", demo_id(name)))
        for kind, name, state in (
            ("topic", "Skole", "accepted"),
            ("topic", "Gjetning", "proposed"),
            ("tag", "Nyhet", ""),
        ):
            insert_node(cur, Node(demo_id(name), kind, name))
            join(cur, Edge(node, "about" if kind == "topic" else "tagged", demo_id(name), {"state": state}))
    made = render(website, demo, node).result
    path = f"articles/aerlig-talt-o-a-b-{str(node)[-8:]}.html"
    assert made == {"url": f"http://127.0.0.1:8000/public/demo/{path}", "path": str(public(website)[path])}
    listed = index(website, demo).result
    assert (listed["article_count"], listed["page_count"], listed["rendered"], listed["removed"]) == (1, 1, 0, [])
    first = {name: file.read_bytes() for name, file in public(website).items()}
    assert set(first) == {path, "index.html", f"files/{picture}.png", f"files/{sound}.mp3"}
    page = first[path].decode()
    assert "<h1>Ærlig talt: Ø &amp; Å &lt;b&gt;</h1>" in page
    assert "<h2>Inn</h2>" in page
    assert '<td align="right">1</td>' in page
    assert words(page).endswith(
        "Av Kari · 1. mars 2026 Lytt til saken Inn Først dette . a b 1 2 Så [1] . Fot. ↩︎ Nyhet Skole Alle saker Demo (RSS)"
    )
    assert "Inn Først dette. a b 1 2 Så. Demo (RSS)" in words(first["index.html"].decode())
    assert html.escape(made["url"]) in first["index.html"].decode()
    for again in (render(website, demo, node), index(website, demo, "--all")):
        assert again.code == 0
    assert {name: file.read_bytes() for name, file in public(website).items()} == first
    assert {file.stat().st_mode & 0o777 for name, file in public(website).items() if name.endswith("html")} == {0o644}


def test_a_withdrawn_article_is_gone_and_its_jobs_are_in_the_queue(website: Workshop, demo: DemoNodes) -> None:
    picture = website.store.put_bytes(PICTURE).digest
    kept, gone, moved = (add_article(name) for name in ("blir", "går", "flyttes"))
    with connection.cursor() as cur:
        insert_node(cur, Node(demo_id("bilde"), "media", "bilde", "", {"cas_hash": picture}))
        join(cur, Edge(gone, "has_media", demo_id("bilde")))
    assert index(website, demo).result["rendered"] == 3
    part = website.root / "var/public/demo/articles/.part-x"
    part.mkdir()
    call_command("sync_tools", stdout=io.StringIO())
    [(edge,)] = rows("SELECT id FROM edges WHERE source_id = %s AND edge_type = 'belongs_to'", gone)

    def write(handler: Any, **payload: Any) -> None:
        job = SimpleNamespace(payload=payload, collection_id=demo.collection, chain=())
        with transaction.atomic(), connection.cursor() as cur:
            handler(cur, job)
        consume()

    def waiting() -> list[tuple[Any, ...]]:
        return rows("SELECT job_type, count(*) FROM job_queue WHERE status = 'pending' GROUP BY 1 ORDER BY 1")

    write(delete_edge, id=str(edge))
    write(
        insert_edge,
        source_id=str(moved),
        target_id=str(demo.collection),
        edge_type="belongs_to",
        metadata={"slot": None},
    )
    assert waiting() == [("render_index", 1), ("rss", 1)]
    # A person in psql, and a page that synops-render has noted on the edge: the one withdraws, the other changes nothing.
    with connection.cursor() as cur:
        cur.execute("DELETE FROM job_queue")
        cur.execute('UPDATE edges SET metadata = metadata || \'{"path": "x"}\' WHERE source_id = %s', [kept])
    consume()
    assert waiting() == []
    with connection.cursor() as cur:
        cur.execute("DELETE FROM nodes WHERE id = %s", [gone])
        insert_node(cur, Node(gone, "article", "går"))
        join(cur, Edge(gone, "belongs_to", demo.collection, {"slot": "main"}))
        cur.execute("DELETE FROM nodes WHERE id = %s", [gone])
    consume()
    assert waiting() == [("render_index", 1), ("rss", 1)]
    # The running one may have read the graph already: what changes now gets a job of its own.
    rows(
        """UPDATE job_queue SET status = 'running', worker_id = gen_random_uuid(), started_at = now()
           WHERE job_type = 'render_index' RETURNING id"""
    )
    for metadata in ({"slot": "top"}, {"slot": None}, {"slot": "main", "note": 1}, {"slot": None}):
        write(
            insert_edge, source_id=str(moved), target_id=str(demo.collection), edge_type="belongs_to", metadata=metadata
        )
    assert waiting() == [("render_index", 1), ("rss", 1)]
    [(payload,)] = rows("SELECT payload::text FROM job_queue WHERE job_type = 'render_index' AND status = 'pending'")
    result = website.run(
        "synops-render", "--write", f"--payload-json={payload}", **running_job(demo.collection, "render_index")
    ).result
    assert sorted(public(website)) == [f"articles/blir-{str(kept)[-8:]}.html", "index.html"]
    assert result["removed"] == [
        *sorted([f"articles/flyttes-{str(moved)[-8:]}.html", f"articles/gar-{str(gone)[-8:]}.html"]),
        f"files/{picture}.png",
    ]
    assert not part.exists()


def test_long_lists_have_pages_and_the_top_comes_first(website: Workshop, demo: DemoNodes) -> None:
    nodes = [
        add_article(
            f"Sak {n:03}",
            "x",
            {"slot": "top" if n == 7 else "main", "published_at": f"2026-01-01T{n // 60:02}:{n % 60:02}:00Z"},
        )
        for n in range(101)
    ]
    result = index(website, demo).result
    assert (result["article_count"], result["page_count"], result["rendered"]) == (101, 3, 101)
    titles = re.findall(
        r">(Sak \d+)</a>", "".join(public(website)[p].read_text() for p in ("index.html", "page-2.html", "page-3.html"))
    )
    assert titles == ["Sak 007", *(f"Sak {n:03}" for n in reversed(range(101)) if n != 7)]
    assert (
        'rel="next" href="http://127.0.0.1:8000/public/demo/page-2.html"' in public(website)["index.html"].read_text()
    )
    assert (
        'rel="prev" href="http://127.0.0.1:8000/public/demo/page-2.html"' in public(website)["page-3.html"].read_text()
    )
    with connection.cursor() as cur:
        cur.execute("DELETE FROM nodes WHERE id = ANY(%s)", [nodes[1:]])
    result = index(website, demo).result
    assert result["page_count"] == 1
    assert [name for name in result["removed"] if name.startswith("page")] == ["page-2.html", "page-3.html"]


def test_an_address_stays_when_the_title_changes(website: Workshop, demo: DemoNodes) -> None:
    node = add_article("Gammel tittel")
    first = render(website, demo, node).result["path"]
    with connection.cursor() as cur:
        update_node(cur, node, title="Ny tittel")
    assert render(website, demo, node).result["path"] == first
    assert "Ny tittel" in Path(first).read_text()
    index(website, demo)
    assert Path(first).is_file()


def test_an_edge_that_names_a_path_outside_is_not_believed(website: Workshop, demo: DemoNodes) -> None:
    node = add_article("Lurt", belonging={"slot": "main", "path": "../../../../etc/passwd"})
    assert render(website, demo, node).result["path"].endswith(f"/demo/articles/lurt-{str(node)[-8:]}.html")


def test_what_is_not_published_now_has_no_page(website: Workshop, demo: DemoNodes) -> None:
    planned = add_article("Senere", belonging={"slot": "main", "publish_at": "2999-01-01T00:00:00Z"})
    draft = add_article("Utkast", belonging={})
    assert render(website, demo, planned).result == {
        "skipped": "to be published 2999-01-01T00:00:00+00:00",
        "url": None,
    }
    done = render(website, demo, draft)
    assert (done.code, "publish it first (synops-publish)" in done.stderr) == (65, True)
    result = index(website, demo).result
    assert result["left_out"] == [{"node_id": str(planned), "reason": "to be published 2999-01-01T00:00:00+00:00"}]
    assert words(public(website)["index.html"]).endswith("Ingenting er publisert ennå. Demo (RSS)")


def test_one_article_that_is_too_long_keeps_none_of_the_others_out(website: Workshop, demo: DemoNodes) -> None:
    long = add_article("Lang", "ord " * 260_000)
    add_article("Kort")
    result = index(website, demo).result
    assert (result["article_count"], result["left_out"][0]["node_id"]) == (1, str(long))
    done = render(website, demo, long)
    assert (done.code, "a page takes 1000000" in done.stderr) == (65, True)


def test_without_write_the_page_is_shown_and_nothing_published(website: Workshop, demo: DemoNodes) -> None:
    node = add_article("Sak")
    assert "<h1>Sak</h1>" in website.run("synops-render", f"--node-id={node}").result["html"]
    assert "Sak" in website.run("synops-render", f"--node-id={node}", "--target=index").result["html"]
    assert public(website) == {}
    assert rows("SELECT metadata ->> 'path' FROM edges WHERE source_id = %s", node) == [(None,)]


def test_a_lost_job_publishes_nothing(website: Workshop, demo: DemoNodes) -> None:
    node = add_article("Sak")
    for target in ("article", "index"):
        job = running_job(demo.collection, "render_article") | {"SYNOPS_LEASE": "9"}
        done = website.run("synops-render", f"--node-id={node}", f"--target={target}", "--write", **job)
        assert done.code == 75
    assert public(website) == {}


def test_wrong_calls(website: Workshop, demo: DemoNodes) -> None:
    def failed(*flags: str) -> int:
        return website.run("synops-render", *flags).code

    assert failed(f"--node-id={demo_id('nothing')}") == 66
    assert failed() == 64
    assert failed(f"--node-id={demo.collection}", "--target=everything") == 64


def test_several_at_once_take_turns(website: Workshop, demo: DemoNodes) -> None:
    nodes = [add_article(f"Sak {n}") for n in range(2)]
    commands = [[f"--node-id={node}"] for node in nodes] + [[f"--node-id={demo.collection}", "--target=index"]] * 2
    started = [
        website.start("synops-render", "--write", *flags, **running_job(demo.collection, "render_article"))
        for flags in commands
    ]
    assert [running.outcome().code for running in started] == [0, 0, 0, 0]
    assert len(public(website)) == 3


@pytest.fixture
def small_disk(website: Workshop) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = website.root / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "synops-test", disk], check=True)
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_half_way_leaves_whole_pages_only(website: Workshop, demo: DemoNodes, small_disk: Path) -> None:
    for n in range(40):
        add_article(f"Sak {n}", "ord " * 4_000)
    done = index(website, demo, PUBLISH_DIR=str(small_disk))
    assert (done.code, "the disk is full" in done.stderr.splitlines()[-1]) == (75, True)
    left = [path for path in small_disk.rglob("*") if path.is_file()]
    assert left
    assert all(path.read_text().endswith("</html>\n") for path in left)
    assert not (small_disk / "demo" / "index.html").exists()
    assert rows("SELECT count(*) FROM edges WHERE metadata ? 'path'") == [(0,)]


def test_the_articles_are_found_by_their_index(website: Workshop, demo: DemoNodes) -> None:
    with connection.cursor() as cur:
        cur.execute(
            """WITH made AS (
                 INSERT INTO nodes (node_kind, title)
                 SELECT CASE n WHEN 1 THEN 'collection' ELSE 'article' END, 'A' || n FROM generate_series(1, 3000) n
                 RETURNING id, node_kind, title)
               INSERT INTO edges (source_id, target_id, edge_type, metadata)
               SELECT one.id, CASE WHEN one.title < 'A12' THEN %s ELSE other.id END, 'belongs_to', '{"slot": "main"}'
               FROM made one, made other WHERE one.node_kind = 'article' AND other.node_kind = 'collection'""",
            [demo.collection],
        )
        cur.execute("ANALYZE nodes, edges")
        cur.execute(
            "EXPLAIN (FORMAT JSON) " + load("synops.store", "article_rows"),
            {"collection": demo.collection, "only": None},
        )
        [(plan,)] = cur.fetchall()
    text = plan if isinstance(plan, str) else json.dumps(plan)
    assert "edges_target" in text
    scanned = re.findall(r'"Node Type": "Seq Scan"[^{}]*?"Relation Name": "(\w+)"', text)
    assert "edges" not in scanned
