"""Tools are tested as what they are: programs, started as processes, on a real PostgreSQL."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from synops.demo.data import DemoNodes, end, load
from synops.store.files import FileStore
from tests.web import database_url

BIN = Path(sys.executable).parent


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
class Workshop:
    """A place for tools to work in: a file store, a folder to publish in, and the environment that says so."""

    root: Path
    environ: Mapping[str, str]

    @property
    def store(self) -> FileStore:
        return FileStore.from_environment(self.environ)

    def run(self, program: str, *flags: str, **environ: str) -> Outcome:
        done = subprocess.run(
            [str(BIN / program), *flags],
            env={**self.environ, **environ},
            capture_output=True,
            timeout=300,
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
