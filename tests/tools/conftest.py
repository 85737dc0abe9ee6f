"""Tools are tested as what they are: programs in processes of their own, on a real PostgreSQL."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from synops.demo.data import DemoNodes, demo_id, end, load
from synops.store.edges import Edge, insert_edge
from synops.store.files import FileStore
from synops.store.nodes import Node, insert_node, update_node
from tests.tools.forked import WELL, End, become
from tests.web import database_url

BIN = Path(sys.executable).parent
LONGEST_SECONDS = 300
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.tools.template"])


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a program ended and what it said."""

    code: int
    stdout: str
    stderr: str

    @property
    def result(self) -> Any:
        assert self.code == 0, self.stderr
        return json.loads(self.stdout)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The lines of stderr that are JSON objects."""
        return [json.loads(line) for line in self.stderr.splitlines() if line.startswith("{")]


@dataclasses.dataclass(frozen=True)
class Running:
    """A program that runs; its streams go to files."""

    process: ForkServerProcess
    streams: Path

    def outcome(self) -> Outcome:
        """Wait for its end."""
        self.process.join(LONGEST_SECONDS)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        stdout, stderr = ((self.streams / name).read_bytes().decode() for name in ("stdout", "stderr"))
        code = self.process.exitcode
        self.process.close()
        assert code is not None
        return Outcome(code, stdout, stderr)


@dataclasses.dataclass(frozen=True)
class Workshop:
    """A place for tools to work in: a file store, a folder to publish in, and the environment that says so."""

    root: Path
    environ: Mapping[str, str]

    @property
    def store(self) -> FileStore:
        return FileStore.from_environment(self.environ)

    def start(self, program: str, *flags: str, end: End = WELL, **environ: str) -> Running:
        """Forked from `template`, where its libraries are loaded; `end` is what shall go wrong."""
        streams = Path(tempfile.mkdtemp(dir=self.root, prefix="streams-"))
        told = (program, flags, {**self.environ, **environ}, self.root, streams, end)
        process = FORKS.Process(target=become, args=told)
        process.start()
        return Running(process, streams)

    def run(self, program: str, *flags: str, **environ: str) -> Outcome:
        """From start to end."""
        return self.start(program, *flags, **environ).outcome()

    def execute(self, program: str, *flags: str, **environ: str) -> Outcome:
        """The console script itself, in an interpreter of its own."""
        done = subprocess.run(
            [str(BIN / program), *flags],
            env={**self.environ, **environ},
            capture_output=True,
            timeout=LONGEST_SECONDS,
            check=False,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Without a database: the address leads nowhere."""
    environ = {
        "PATH": os.environ["PATH"],
        "SYNOPS_VAR": str(tmp_path / "var"),
        "SYNOPS_ENV_FILE": "none",
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
        "HF_HUB_OFFLINE": "1",
    }
    return Workshop(tmp_path, environ)


@pytest.fixture
def database_workshop(workshop: Workshop, transactional_db: None) -> Workshop:
    """With the test's own database, committed rows and all."""
    return dataclasses.replace(workshop, environ={**workshop.environ, "DATABASE_URL": database_url()})


def running_job(collection: UUID, job_type: str, lease: int = 1) -> dict[str, str]:
    """A job that is claimed and running, and the variables that its worker gives the tool."""
    worker = uuid4()
    with connection.cursor() as cur:
        cur.execute(
            """INSERT INTO job_queue (collection_node_id, job_type, payload, status, attempts, lease, worker_id, started_at)
               VALUES (%s, %s, '{}', 'running', 1, %s, %s, now()) RETURNING id""",
            [collection, job_type, lease, worker],
        )
        job = cur.fetchone()[0]
    return {
        "SYNOPS_JOB_ID": str(job),
        "SYNOPS_LEASE": str(lease),
        "SYNOPS_WORKER_ID": str(worker),
        "SYNOPS_COLLECTION_ID": str(collection),
    }


def rows(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """What the test's database answers."""
    with connection.cursor() as cur:
        cur.execute(statement, parameters)
        return list(cur.fetchall())


@pytest.fixture
def demo(database_workshop: Workshop) -> DemoNodes:
    """The demo's nodes, ended, and its recording in the workshop's store."""
    with transaction.atomic(), connection.cursor() as cur:
        nodes = load(cur, database_workshop.store)
        end(cur)
    return nodes


@pytest.fixture
def website(database_workshop: Workshop, demo: DemoNodes) -> Workshop:
    """The demo's collection publishes articles, in Norwegian."""
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"traits": ["publishing"], "language": "nb"})
    return database_workshop


@pytest.fixture
def episode(database_workshop: Workshop, demo: DemoNodes) -> str:
    """The address of the demo's episode, published, with a bit rate at which a minute is 1,000 bytes."""
    digest = database_workshop.store.put_bytes(bytes(10_000)).digest
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(demo_id("sound"), "media", "", "", {"cas_hash": digest, "duration_seconds": 600}))
        insert_edge(cur, Edge(demo.communication, "has_media", demo_id("sound")))
    return f"/public/demo/episodes/{digest}.mp3"
