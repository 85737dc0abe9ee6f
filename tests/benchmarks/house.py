"""Where the benchmarks take place: a PostgreSQL of its own with default settings (fsync on), and Synops' schema in it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from synops.database import temporary_cluster

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "tests.benchmarks.settings"


@dataclass(frozen=True)
class House:
    """`url` is the cluster's `synops` database; `folder` is for files of this run."""

    url: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What our own processes are started with."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "SYNOPS_"))}
        return {
            **kept,
            "DATABASE_URL": self.url,
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "SYNOPS_ENV_FILE": "none",
            "SYNOPS_VAR": str(self.folder / "var"),
            "LOG_LEVEL": "WARNING",
        }

    def connect(self, database: str | None = None) -> psycopg.Connection[Any]:
        """An autocommitting connection, to another database of the cluster if one is named."""
        return psycopg.connect(self.address(database) if database else self.url, autocommit=True)

    def address(self, database: str) -> str:
        """The address of another database of the cluster."""
        return self.url.replace("/synops?", f"/{database}?")

    def new_database(self, name: str) -> str:
        """Make an empty database; its address."""
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)


@contextlib.contextmanager
def house() -> Iterator[House]:
    """A cluster with a migrated, seeded database. It goes with the block."""
    with tempfile.TemporaryDirectory(prefix="synops-bench-") as folder:
        Path(folder).chmod(0o711)  # as root the server runs as another user, who must be able to pass
        with temporary_cluster(Path(folder) / "cluster") as url:
            made = House(url, Path(folder))
            subprocess.run(
                [sys.executable, "manage.py", "migrate", "--verbosity=0"], cwd=ROOT, env=made.environment, check=True
            )
            yield made
