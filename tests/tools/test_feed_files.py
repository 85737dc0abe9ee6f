"""The files of a podcast: published whole, together, and gone when they are withdrawn."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from django.db import connection

from synops.demo.data import RECORDING, DemoNodes
from synops.store.nodes import update_node
from tests.tools.conftest import Workshop, rows, running_job
from tests.tools.test_rss import add_episode, give_transcript, publish, published


def test_an_episode_that_is_withdrawn_takes_its_files_along(database_workshop: Workshop, demo: DemoNodes) -> None:
    give_transcript(database_workshop, demo)
    other = add_episode(database_workshop, "other", {"slot": "front"})
    publish(database_workshop, demo)
    assert len(published(database_workshop)) == 4
    with connection.cursor() as cur:
        cur.execute("DELETE FROM edges WHERE source_id = %s AND edge_type = 'belongs_to'", [demo.communication])
    result = publish(database_workshop, demo).result
    assert result["episode_count"] == 1
    assert len(published(database_workshop)) == 2
    assert database_workshop.store.exists(demo.cas_hash)
    assert str(other) in Path(result["feed_path"]).read_text()


def test_a_lost_job_leaves_the_feed_as_it_was(database_workshop: Workshop, demo: DemoNodes) -> None:
    publish(database_workshop, demo)
    before = published(database_workshop)["feed.xml"].read_bytes()
    with connection.cursor() as cur:
        update_node(cur, demo.communication, title="Changed")
    job = running_job(demo.collection, "rss") | {"SYNOPS_LEASE": "7"}
    done = database_workshop.run("synops-rss", f"--collection-id={demo.collection}", "--write", **job)
    assert done.code == 75
    assert published(database_workshop)["feed.xml"].read_bytes() == before


def test_two_at_once_take_turns(database_workshop: Workshop, demo: DemoNodes) -> None:
    flags = (f"--collection-id={demo.collection}", "--write")
    started = [database_workshop.start("synops-rss", *flags, **running_job(demo.collection, "rss")) for _ in range(3)]
    ended = [running.outcome() for running in started]
    assert [done.code for done in ended] == [0, 0, 0]
    assert len({done.stdout for done in ended}) == 1
    assert len(published(database_workshop)) == 2


def test_a_folder_that_can_not_be_written(database_workshop: Workshop, demo: DemoNodes) -> None:
    blocked = database_workshop.root / "blocked"
    blocked.touch()
    done = publish(database_workshop, demo, PUBLISH_DIR=str(blocked))
    assert done.code == 74
    assert f"{blocked}" in done.stderr.splitlines()[-1]
    assert rows("SELECT metadata #>> '{podcast,guid}' FROM nodes WHERE id = %s", demo.collection) == [(None,)]


def test_a_file_system_without_links_gets_copies(database_workshop: Workshop, demo: DemoNodes) -> None:
    other = Path("/dev/shm") / f"synops-test-{os.getpid()}"
    if other.parent.stat().st_dev == database_workshop.root.stat().st_dev:
        pytest.skip("/dev/shm is no file system of its own")
    try:
        result = publish(database_workshop, demo, PUBLISH_DIR=str(other)).result
        sound = other / "demo" / "episodes" / f"{demo.cas_hash}.mp3"
        assert sound.read_bytes() == RECORDING.read_bytes()
        assert sound.stat().st_mode & 0o777 == Path(result["feed_path"]).stat().st_mode & 0o777 == 0o644
    finally:
        subprocess.run(["rm", "-rf", str(other)], check=True)
