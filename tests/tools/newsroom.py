"""A newsroom with work for each tool that writes, and the call of each that does it: for tests of what holds for all tools."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction

from synops.demo.cases import demo_cases, invoice, write
from synops.demo.data import DemoNodes
from synops.demo.documents import pdf
from synops.store.edges import Edge, insert_edge
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.nodes import Node, insert_node, update_node
from synops.tools.page import shipped
from tests.llm.server import Reply, Status, model_server
from tests.tools.access_log import write_log
from tests.tools.conftest import Running, Workshop, running_job
from tests.tools.strange_server import StrangeServer, response, strange_server
from tests.tools.test_audio import add_recording, tone
from tests.tools.test_minutes import MEETING
from tests.tools.test_summarize import ARTICLE, transcribe
from tests.tools.test_valgomat import ASKED, PROGRAMME

PAGE = Path(__file__).parents[1] / "data" / "tools" / "page.html"
SRT = b"1\n00:00:01,000 --> 00:00:02,500\nVelkommen til \xc3\x86rlig talt.\n"
PUBLISHED = {"slot": "main", "published_at": "2026-03-01T10:00:00+01:00"}
RULES = "--engine=extractive"
DESCRIPTIONS = {tool.name: tool for tool in shipped()}


@dataclasses.dataclass(frozen=True)
class Errand:
    """A program's call without `--write`; `system` = its jobs belong to no collection of people."""

    program: str
    flags: tuple[str, ...]
    environ: Mapping[str, str] = dataclasses.field(default_factory=dict)
    system: bool = False


@dataclasses.dataclass(frozen=True)
class Newsroom:
    """The demo with an article, a meeting, topics, people, a voting guide, a link, a log and cases. `models` makes vectors."""

    workshop: Workshop
    demo: DemoNodes
    server: StrangeServer
    models: Mapping[str, str]
    nodes: dict[str, UUID]
    files: Mapping[str, str]
    environ: Mapping[str, str]

    def add(
        self, name: str, kind: str, title: str, text: str = "", place: dict[str, Any] | None = None, **facts: Any
    ) -> UUID:
        """A node of the collection, which `nodes` has by its name."""
        self.nodes[name] = uuid4()
        with transaction.atomic(), connection.cursor() as cur:
            insert_node(cur, Node(self.nodes[name], kind, title, text, facts))
            insert_edge(cur, Edge(self.nodes[name], "belongs_to", self.demo.collection, place or {}))
        return self.nodes[name]

    def errands(self) -> dict[str, Errand]:
        """One for each tool that writes, by its name."""
        return {one.program: one for one in self._errands()}

    def _errands(self) -> Iterator[Errand]:
        article, talk = f"--node-id={self.nodes['article']}", f"--communication-id={self.demo.communication}"
        asked = f"--questions-id={self.nodes['questions']}"
        sound = f"--cas-hash={self.files['sound']}"
        case = f"--case-number={demo_cases()[0].number}"
        # Those that others build on come first.
        yield Errand("synops-case-sync", (), self.environ, system=True)
        yield Errand("synops-case-fetch", (case,), self.environ, system=True)
        yield Errand("synops-extract", (f"--cas-hash={self.files['letter']}",), system=True)
        yield Errand("synops-evaluate", (case,), self.environ, system=True)
        yield Errand("synops-embed", (article,), self.models)
        yield Errand("synops-respond", (talk, "--engine=retrieval"), self.models)
        yield Errand("synops-ai", ("--task=extract_facts", article))
        yield Errand("synops-analyze", (f"--node-id={self.demo.communication}",))
        yield Errand("synops-audio", (sound, "--format=flac"))
        yield Errand("synops-clip", (f"--node-id={self.nodes['link']}",), self.environ)
        yield Errand("synops-notify", ("--recipients=members", article))
        yield Errand("synops-publish", (f"--node-id={self.nodes['draft']}",))
        yield Errand("synops-render", (article,))
        yield Errand("synops-rss", (f"--collection-id={self.demo.collection}",))
        yield Errand("synops-stats", (), self.environ, system=True)
        yield Errand("synops-suggest-edges", (article, RULES), self.models)
        yield Errand("synops-summarize", (talk,))
        yield Errand("synops-transcribe", (sound, f"--srt-hash={self.files['srt']}", "--source=srt"))
        yield Errand("synops-tts", (f"--node-id={self.nodes['draft']}",))
        yield Errand("synops-valgomat", (asked, f"--programme-id={self.nodes['programme']}", RULES), self.models)
        yield Errand("synops-waveform", (sound,))

    def job(self, errand: Errand) -> dict[str, str]:
        """A claimed job for it, as its worker tells the tool."""
        collection = SYSTEM_COLLECTION_ID if errand.system else self.demo.collection
        return running_job(collection, DESCRIPTIONS[errand.program].job_types[0])

    def start(self, errand: Errand, job: Mapping[str, str], *flags: str, **how: Any) -> Running:
        """Run it for a job; `how` as `Workshop.start` takes it."""
        return self.workshop.start(errand.program, *errand.flags, *flags, **{**errand.environ, **job, **how})


@contextlib.contextmanager
def open_newsroom(workshop: Workshop, demo: DemoNodes) -> Iterator[Newsroom]:
    """Everything in its place, committed; beside it a web server, and one that makes vectors, which spares 90 MB of weights."""
    with strange_server() as server, model_server(think=vectors) as models:
        yield _furnished(workshop, demo, server, {**models.environ, "SYNOPS_EMBEDDINGS_MODEL": "vectors"})


def vectors(body: dict[str, Any]) -> Reply:
    """A server's answer to a request for embeddings."""
    return Status(200, json.dumps({"data": [{"index": at, "embedding": [1, at]} for at in range(len(body["input"]))]}))


def _furnished(workshop: Workshop, demo: DemoNodes, server: StrangeServer, models: Mapping[str, str]) -> Newsroom:
    transcribe(demo, MEETING)
    server.answers["/sak"] = response(PAGE.read_bytes())
    source = workshop.root / "case-source"
    write(source)
    log = workshop.root / "access.log"
    write_log(log, f"/public/demo/episodes/{demo.cas_hash}.mp3", 3)
    files = {
        "sound": add_recording(workshop, tone(workshop.root / "tone.wav", (1.5, 0.2))),
        "letter": workshop.store.put_bytes(pdf(invoice("12.03.2026", "62 500,50"))).digest,
        "srt": workshop.store.put_bytes(SRT).digest,
    }
    environ = {
        "CASES_SOURCE": str(source),
        "SYNOPS_CADDY_LOGS": str(log),
        "SYNOPS_CLIP_ALLOWED_HOSTS": server.address,
    }
    made = Newsroom(workshop, demo, server, models, {}, files, environ)
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"traits": ["podcast", "publishing"], "language": "nb"})
    made.add("article", "article", "Skolesaken", ARTICLE, PUBLISHED, language="nb")
    made.add("draft", "article", "Kladd", "Hei på deg.")
    made.add("link", "note", "Lenke", f"Se {server.url('/sak')}.")
    made.add("topic", "topic", "Skole og utdanning")
    made.add("questions", "content", "Spørsmål", ASKED)
    made.add("programme", "content", "Fjellpartiet", PROGRAMME)
    made.add("srt", "media", "Undertekster", cas_hash=files["srt"])
    message = made.add("message", "message", "", "Hva koster skolen?")
    _join(Edge(message, "belongs_to", demo.communication))
    for name in ("Kari", "Ola"):
        _join(Edge(made.add(name, "person", name), "member", demo.collection))
    return made


def _join(edge: Edge) -> None:
    with connection.cursor() as cur:
        insert_edge(cur, edge)
