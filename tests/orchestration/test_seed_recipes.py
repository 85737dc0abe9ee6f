"""The five recipes that ship with the product, all active in one collection, run by a real worker with the real tools."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import feedparser
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from jobs.models import Job
from orchestration.models import Run
from orchestration.recipes import activate
from orchestration.seeds import SEEDS, seed_id
from orchestration.steward import raise_due
from orchestration.work_items import connect
from synops.demo import data
from synops.graph.models import Edge, GraphEvent, Node
from synops.store.edges import Edge as StoredEdge
from synops.store.edges import insert_edge
from synops.store.files import FileStore
from synops.store.nodes import Node as StoredNode
from synops.store.nodes import insert_node, update_node
from tests.web import database_url

ARTICLE = (Path(__file__).parents[1] / "data" / "tools" / "no_article.txt").read_text()
ARTICLE_ID = data.demo_id("planned article")


@pytest.fixture
def demo(transactional_db, tmp_path, monkeypatch) -> data.DemoNodes:
    """The demo's collection, which publishes articles too, with all five recipes active in it; and a topic."""
    monkeypatch.setenv("SYNOPS_VAR", str(tmp_path))
    monkeypatch.delenv("STORE_DIR", raising=False)
    call_command("sync_tools", stdout=io.StringIO())
    with transaction.atomic(), connection.cursor() as cursor:
        demo = data.load(cursor, FileStore.from_environment({"SYNOPS_VAR": str(tmp_path)}))
        update_node(cursor, demo.collection, metadata={"traits": ["podcast", "publishing"]})
        insert_node(cursor, StoredNode(data.demo_id("topic"), "topic", "Skolestruktur"))
        insert_edge(cursor, StoredEdge(data.demo_id("topic"), "belongs_to", demo.collection))
        for seed in SEEDS:
            connect(cursor, seed.id, "belongs_to", [demo.collection])
    for seed in SEEDS:
        activate(seed.id)
    GraphEvent.objects.update(done_at="2026-01-01T00:00:00Z")
    return demo


def work(folder: Path) -> None:
    """A worker, until there is nothing left to do."""
    done = subprocess.run(
        [sys.executable, "manage.py", "runworker", "--drain", "--max-concurrent=2"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": database_url(), "SYNOPS_VAR": str(folder)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def plan_an_article(collection) -> None:
    """A text whose planned time has come."""
    with transaction.atomic(), connection.cursor() as cursor:
        planned = {"scheduled_for": "2026-01-06T08:00:00+01:00", "language": "nb"}
        insert_node(cursor, StoredNode(ARTICLE_ID, "article", "Ny skole på Nes", ARTICLE, planned))
        insert_edge(cursor, StoredEdge(ARTICLE_ID, "belongs_to", collection))
    raise_due()


def jobs_of(seed: str) -> Counter[str]:
    runs = Run.objects.filter(orchestration_id=seed_id(seed)).values_list("pk", flat=True)
    return Counter(Job.objects.filter(run_id__in=list(runs)).values_list("job_type", flat=True))


@pytest.mark.newcomer
def test_all_five_run_for_real_and_an_article_and_its_feed_are_rendered_once_at_the_planned_time(demo, tmp_path):
    plan_an_article(demo.collection)
    work(tmp_path)
    assert raise_due() == 0, "a planned time comes once"
    assert (jobs_of("planned"), jobs_of("publishing")) == (
        {"publish": 1},
        {"render_article": 1, "render_index": 1, "rss": 1},
    )
    assert Counter(Job.objects.values_list("job_type", flat=True)) == {
        "publish": 1,
        "render_article": 1,
        "render_index": 1,
        "rss": 1,
    }
    site = tmp_path / "public" / "demo"
    page = f"articles/ny-skole-pa-nes-{str(ARTICLE_ID)[-8:]}.html"
    assert "Kommunestyret i Lillevik" in (site / page).read_text()
    assert page in (site / "index.html").read_text()
    [entry] = feedparser.parse((site / "articles.xml").read_bytes()).entries
    assert (entry.title, entry.link.endswith(page)) == ("Ny skole på Nes", True)

    with transaction.atomic(), connection.cursor() as cursor:
        data.end(cursor)
        insert_node(cursor, StoredNode(data.demo_id("text"), "content", "Om skolen", ARTICLE, {"language": "nb"}))
        insert_edge(cursor, StoredEdge(data.demo_id("text"), "belongs_to", demo.collection))
    work(tmp_path)
    assert jobs_of("podcast") == {"whisper_transcribe": 3, "summarize_communication": 1, "rss": 1}
    assert jobs_of("aloud") == {"tts_generate": 1}
    # The summary that the first recipe wrote is new content, too.
    assert jobs_of("enrichment") == {"suggest_edges": 2}
    assert Counter(Job.objects.values_list("job_type", flat=True))["render_article"] == 1
    [summary] = Edge.objects.filter(edge_type="summary", target_id=demo.communication).values_list(
        "source_id", flat=True
    )
    [reading] = Node.objects.filter(node_kind="media", metadata__speech_of=str(summary))
    assert FileStore.from_environment({"SYNOPS_VAR": str(tmp_path)}).exists(reading.metadata["cas_hash"])
    assert Edge.objects.filter(
        source_id=data.demo_id("text"), target_id=data.demo_id("topic"), metadata__state="proposed"
    ).exists()
    assert feedparser.parse((site / "feed.xml").read_bytes()).entries[0].title == "Sense and Sensibility, chapter 1"
    runs = Counter(Run.objects.values_list("orchestration__title", "status"))
    assert {status for _, status in runs} == {"completed"}
    assert len(runs) == len(SEEDS)
    assert not Node.objects.filter(node_kind="work_item").exists()
