"""Each shipped tool once on real material, as a process: seconds, peak memory, and what its work is worth.

Writes docs/tools-measured.json, from which the page docs/tools.md is made.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import jiwer
import psycopg

from synops.demo.data import REFERENCE, DemoNodes, demo_id, end, load
from synops.store.edges import Edge, insert_edge
from synops.store.files import FileStore
from synops.store.nodes import Node, insert_node, update_node
from synops.tools.page import MEASURED, page
from tests.benchmarks.house import ROOT, House, house
from tests.benchmarks.report import Report
from tests.tools.strange_server import response, strange_server

BIN = Path(sys.executable).parent
DATA = ROOT / "tests" / "data" / "tools"
ARTICLES = 1_000
LOG_LINES = 100_000
ENGLISH = (
    "The city council met on Tuesday evening to discuss the new library. The building will open in September. "
    "The mayor thanked everyone who had worked on the project for so many years."
)


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


class Bench:
    """The demo's collection on a server of its own, and programs run in it."""

    def __init__(self, home: House) -> None:
        self.home = home
        self.store = FileStore.from_environment(home.environment)
        with psycopg.connect(home.url) as connection, connection.cursor() as cur:
            self.demo: DemoNodes = load(cur, self.store)
            end(cur)
            update_node(cur, self.demo.collection, metadata={"traits": ["podcast", "publishing"], "language": "en"})
        self.article = self.add("article", (DATA / "no_article.txt").read_text(), language="nb")

    def add(self, name: str, text: str, kind: str = "article", slot: str = "main", **metadata: Any) -> UUID:
        """A published text."""
        return self.add_all([name], text, kind, slot, **metadata)[0]

    def add_all(
        self, names: Sequence[str], text: str, kind: str = "article", slot: str = "main", **metadata: Any
    ) -> list[UUID]:
        """Published texts that differ in their titles."""
        place = {"slot": slot, "published_at": "2026-03-01T10:00:00+01:00"}
        with psycopg.connect(self.home.url) as connection, connection.cursor() as cur:
            for name in names:
                insert_node(cur, Node(demo_id(name), kind, name, text, metadata))
                insert_edge(cur, Edge(demo_id(name), "belongs_to", self.demo.collection, place))
        return [demo_id(name) for name in names]

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


def measure(report: Report) -> None:
    """All lines, shown as they come."""
    rows: list[Row] = []
    load = os.getloadavg()[0]
    with house() as home:
        bench = Bench(home)
        for make in (speech, texts, publishing, web, logs):
            for row in make(bench):
                rows.append(row)
                report.note(
                    f"{row.tool}: {row.what}",
                    s=row.run.seconds,
                    MB=row.run.megabytes,
                    quality=row.quality or None,
                )
    measured = {"machine": machine(load), "rows": [row.to_json() for row in rows]}
    MEASURED.write_text(json.dumps(measured, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (ROOT / "docs" / "tools.md").write_text(page(), encoding="utf-8")


def machine(load: float) -> str:
    """What it was measured on, and how busy that was with other work before."""
    kind = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {kind}, with a load average of {load:.1f} before the measurement"


def speech(bench: Bench) -> Iterator[Row]:
    sound = f"--cas-hash={bench.demo.cas_hash}"
    heard = bench.run("synops-transcribe", sound, "--write")
    with psycopg.connect(bench.home.url) as connection:
        said = connection.execute("SELECT string_agg(content, ' ' ORDER BY seq) FROM transcription_segments").fetchone()
    wrong = jiwer.wer(words(REFERENCE.read_text()), words(str(said and said[0])))
    what, rate = "27 s of English, the built-in model", f"word error rate {wrong:.3f}"
    yield Row("synops-transcribe", what, heard, rate)
    text = bench.add("english", ENGLISH, "content")
    spoken = bench.run("synops-tts", f"--node-id={text}", "--language=en", "--write")
    back = bench.run("synops-transcribe", f"--cas-hash={spoken.result['cas_hash']}", "--language=en", "--model=base")
    again = " ".join(one["text"] for one in back.result["segments"])
    wrong = jiwer.wer(words(f"english {ENGLISH}"), words(again))
    length = spoken.result["duration_seconds"]
    yield Row(
        "synops-tts",
        f"{length:.0f} s of English, eSpeak NG",
        spoken,
        f"heard again with a word error rate of {wrong:.3f}",
    )
    clean = bench.run("synops-audio", sound, "--preset=podcast", "--write")
    loudness = clean.result["loudness"]
    yield Row(
        "synops-audio",
        "27 s, podcast preset",
        clean,
        f"aimed at {loudness['target']:g}, measured {loudness['after']:.1f} LUFS",
    )
    yield Row("synops-waveform", "27 s, 20 points a second", bench.run("synops-waveform", sound, "--write"))
    yield Row("synops-checksum", "210 kB", bench.run("synops-checksum", sound))


def texts(bench: Bench) -> Iterator[Row]:
    told = bench.run("synops-summarize", f"--communication-id={bench.demo.communication}", "--write")
    yield Row("synops-summarize", "the transcript of 27 s", told, f"{told.result['engine']}, quotes only")
    node = f"--node-id={bench.article}"
    bench.add_all(("Skolestruktur", "Sykkelvei", "Romfart", "Fiskeri"), "", "topic")
    simple: list[tuple[str, str, Callable[[dict[str, Any]], str]]] = [
        ("synops-analyze", "an article of 15 sentences", lambda r: "keywords " + ", ".join(r.get("keywords", [])[:4])),
        ("synops-suggest-edges", "an article and 4 topics", proposed),
        ("synops-embed", "an article", lambda r: f"model {r.get('model', '')}"),
    ]
    for tool, what, quality in simple:
        done = bench.run(tool, node, "--write")
        yield Row(tool, what, done, quality(done.result))


def proposed(result: dict[str, Any]) -> str:
    titles = [str(item["title"]) for item in result["suggestions"]]
    return "proposes " + ", ".join(titles) if titles else ""


def publishing(bench: Bench) -> Iterator[Row]:
    yield Row("synops-publish", "one article", bench.run("synops-publish", f"--node-id={bench.article}", "--write"))
    yield Row("synops-render", "one article", bench.run("synops-render", f"--node-id={bench.article}", "--write"))
    bench.add_all([f"Sak {number}" for number in range(ARTICLES)], (DATA / "no_article.txt").read_text())
    place = f"--node-id={bench.demo.collection}"
    index = bench.run("synops-render", place, "--target=index", "--write")
    yield Row(
        "synops-render",
        f"the index and the pages of {ARTICLES:,} articles",
        index,
        f"{index.result['page_count']} pages",
    )
    feed = bench.run("synops-rss", f"--collection-id={bench.demo.collection}", "--write")
    yield Row("synops-rss", f"a podcast and a feed of {ARTICLES:,} articles", feed)


def web(bench: Bench) -> Iterator[Row]:
    with strange_server() as server:
        server.answers["/sak"] = response((DATA / "page.html").read_bytes())
        kept = bench.run("synops-clip", f"--url={server.url('/sak')}", SYNOPS_CLIP_ALLOWED_HOSTS=server.address)
    right = {"title": "Vil bygge skole", "author": "Anne Journalist", "published": "2026-10-12", "language": "nb"}
    hits = sum(kept.result[key] == value for key, value in right.items())
    yield Row("synops-clip", "a page of a newspaper, from this machine", kept, f"{hits} of {len(right)} facts right")


def logs(bench: Bench) -> Iterator[Row]:
    log = bench.home.folder / "access.log"
    uri = f"/public/demo/episodes/{bench.demo.cas_hash}.mp3"
    with log.open("w") as stream:
        for n in range(LOG_LINES):
            asked = {
                "method": "GET", "uri": uri, "remote_ip": f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}",
                "headers": {"User-Agent": [f"Overcast/{n % 300}"]},
            }  # fmt: skip
            record = {"ts": 1_780_000_000 + n / 10, "request": asked, "size": 300_000, "status": 200}
            stream.write(json.dumps(record) + "\n")
    done = bench.run("synops-stats", f"--log={log}", "--write")
    rate = LOG_LINES / done.seconds
    counted = done.result["downloads"]
    yield Row(
        "synops-stats", f"{LOG_LINES:,} lines of new listeners", done, f"{rate:,.0f} lines/s, {counted:,} downloads"
    )


def words(text: str) -> str:
    """Spelling variants that are no errors of hearing: Mr. and mister, hyphens, capitals."""
    return " ".join(re.findall(r"[a-z]+", text.lower().replace("mr.", "mister")))
