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
from urllib.parse import quote

import pytest
from django.db import connection

from synops.store.files import FileStore

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


def database_url() -> str:
    """The address of the database that Django's tests use."""
    params = connection.get_connection_params()
    user, password, host = (quote(str(params.get(key) or ""), safe="") for key in ("user", "password", "host"))
    return f"postgresql://{user}:{password}@/{params['dbname']}?host={host}&port={params.get('port') or 5432}"
