"""The demo as a newcomer runs it: real recording, real recipe, real worker, a feed at the end; twice the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from orchestration.models import Run
from orchestration.seeds import PODCAST_ID
from synops.demo import data
from synops.graph.models import GraphEvent
from synops.site import demonstration
from tests.web import database_url


def run_demo(folder: Path) -> list[str]:
    environment = {**os.environ, "DATABASE_URL": database_url(), "SYNOPS_VAR": str(folder)}
    done = subprocess.run(
        [sys.executable, "manage.py", "demo"],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()


def published(feed: Path) -> dict[str, bytes]:
    return {str(path.relative_to(feed.parent)): path.read_bytes() for path in feed.parent.rglob("*") if path.is_file()}


@pytest.mark.newcomer
@pytest.mark.django_db(transaction=True)
def test_the_demo_publishes_a_feed_and_a_second_time_the_same_bytes(tmp_path):
    lines = run_demo(tmp_path)
    feed = Path(lines[-1])
    assert feed.is_relative_to(tmp_path)
    assert [line[0] for line in lines if line.startswith(("✓", "✗"))] == ["✗", "✗", "✓", "✓", "✓"]
    before = published(feed)
    assert run_demo(tmp_path)[-1] == str(feed)
    assert published(feed) == before
    runs = Run.objects.filter(orchestration_id=PODCAST_ID, status="completed")
    assert runs.count() == 2


@pytest.mark.django_db
def test_loading_the_demo_once_ends_its_conversation_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SYNOPS_VAR", str(tmp_path))
    call_command("sync_tools")
    for _ in range(2):
        call_command("demo", "--once")
    ended = GraphEvent.objects.filter(event="communication.ended", node_id=data.demo_id("communication"))
    assert ended.count() == 1
    assert demonstration.is_loaded()
