"""Where a tool is measured: the demo's collection on a server of its own, and programs run in it as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

import psycopg

from synops.demo.data import DemoNodes, demo_id, end, load
from synops.store.edges import Edge, insert_edge
from synops.store.files import FileStore
from synops.store.nodes import Node, insert_node, update_node
from synops.store.segments import Segment, replace_segments
from tests.benchmarks.house import ROOT, House

BIN = Path(sys.executable).parent
DATA = ROOT / "tests" / "data" / "tools"


@dataclass(frozen=True)
class Run:
    """How one call of a program went; `megabytes` is its peak resident memory."""

    result: dict[str, Any]
    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    tool: str
    what: str
    run: Run
    quality: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "what": self.what,
            "seconds": round(self.run.seconds, 2),
            "megabytes": round(self.run.megabytes),
            "quality": self.quality,
        }


class Workplace:
    """Database and file store with the demo, an article in Norwegian, and the programs."""

    def __init__(self, home: House) -> None:
        self.home = home
        self.store = FileStore.from_environment(home.environment)
        with psycopg.connect(home.url) as connection, connection.cursor() as cur:
            self.demo: DemoNodes = load(cur, self.store)
            end(cur)
            update_node(cur, self.demo.collection, metadata={"traits": ["podcast", "publishing"], "language": "en"})
        self.text = (DATA / "no_article.txt").read_text(encoding="utf-8")
        self.article = self.add("article", self.text, language="nb")

    def add(self, name: str, text: str, kind: str = "article", **metadata: Any) -> UUID:
        """A published text."""
        return self.add_all([name], text, kind, **metadata)[0]

    def add_all(self, names: Sequence[str], text: str, kind: str = "article", **metadata: Any) -> list[UUID]:
        """Published texts that differ in their titles."""
        place = {"slot": "main", "published_at": "2026-03-01T10:00:00+01:00"}
        with psycopg.connect(self.home.url) as connection, connection.cursor() as cur:
            for name in names:
                insert_node(cur, Node(demo_id(name), kind, name, text, metadata))
                insert_edge(cur, Edge(demo_id(name), "belongs_to", self.demo.collection, place))
        return [demo_id(name) for name in names]

    def transcribe(self, text: str) -> None:
        """Give the demo's recording this transcript."""
        with psycopg.connect(self.home.url) as connection, connection.cursor() as cur:
            replace_segments(cur, self.demo.media, [Segment(0, 26_000, " ".join(text.split()))])
            update_node(cur, self.demo.media, metadata={"transcript": {"language": "en"}})

    def add_people(self, count: int) -> None:
        """Members of the collection."""
        with psycopg.connect(self.home.url) as connection, connection.cursor() as cur:
            for number in range(count):
                insert_node(cur, Node(key := demo_id(f"person {number}"), "person", f"Person {number}"))
                insert_edge(cur, Edge(key, "member", self.demo.collection))

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What the database answers."""
        with psycopg.connect(self.home.url) as connection:
            return connection.execute(statement.encode(), parameters).fetchall()

    def run(self, program: str, *flags: str, **environ: str) -> Run:
        """One call as a process of its own."""
        out = self.home.folder / "stdout"
        started = time.perf_counter()
        with out.open("wb") as stdout, (self.home.folder / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                [str(BIN / program), *flags],
                env={**self.home.environment, "HF_HUB_OFFLINE": "1", **environ},
                stdout=stdout,
                stderr=stderr,
            )
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        if process.returncode:
            raise RuntimeError(f"{program}: {(self.home.folder / 'stderr').read_text()[-2000:]}")
        return Run(json.loads(out.read_bytes()), seconds, usage.ru_maxrss / 1024)


Rows: TypeAlias = Callable[[Workplace], Iterator[Row]]
"""Some lines, measured as they are asked for."""
