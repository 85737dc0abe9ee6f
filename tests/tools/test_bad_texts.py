"""Texts that are none, put to every program that reads one: each ends in time, with a result or with a sentence."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from synops.demo.data import RECORDING, DemoNodes
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import update_node
from synops.store.segments import Segment, replace_segments
from tests.tools.conftest import Outcome, Workshop
from tests.tools.newsroom import PUBLISHED, RULES, Errand, Newsroom, open_newsroom
from tests.tools.test_summarize import ARTICLE

ENORMOUS = 20_000_000
DONE, USAGE, DATA, NO_INPUT, CONFIG = 0, 64, 65, 66, 78
#: What is read aloud takes as long as it lasts.
SHORT = 2_000
#: What every program must take, or refuse in a sentence.
ODD = {
    "empty": "",
    "no words": " \n\t\n!!! … — 1 2 3 \u200b\u202e ٣ 🙂\n\n",
    "truncated": ARTICLE[:1200] + '\n\n```json\n{"a": [1, 2, [lenke](http://',
    "sound": RECORDING.read_bytes()[:1_500].decode("latin-1").replace("\0", ""),
    "hostile": "<script>alert(1)</script>\n" + "[" * 3000 + "> " * 3000 + "*" * 3000,
    "a word without end": "a" * 20_000,
}
#: They read the beginning of a text of any size, or its links alone.
READ_THE_BEGINNING = {"vectors", "clip", "reply"}


@dataclasses.dataclass(frozen=True)
class Desk:
    """Where a text comes in."""

    newsroom: Newsroom

    def errands(self, text: str, language: str = "nb") -> dict[str, Errand]:
        """The text in every place where a program reads one."""
        node = self.newsroom.add("text", "article", "Teksten", text, PUBLISHED, language=language)
        asked = f"--questions-id={self.newsroom.nodes['questions']}"
        talk = f"--communication-id={self.talk(text, language)}"
        return self.about(node) | {
            "summary": Errand("synops-summarize", (talk,)),
            "minutes": Errand("synops-summarize", (talk, "--form=minutes")),
            "reply": Errand(
                "synops-respond", (f"--communication-id={self.chat(text)}", "--engine=retrieval"), self.newsroom.models
            ),
            "profile": Errand("synops-valgomat", (asked, f"--programme-id={node}", RULES), self.newsroom.models),
        }

    def about(self, node: UUID) -> dict[str, Errand]:
        """Each program that is given a node to read."""
        named = f"--node-id={node}"
        tasks = ("clean", "summarize", "dictation", "extract_facts")
        return {task: Errand("synops-ai", (f"--task={task}", named)) for task in tasks} | {
            "analysis": Errand("synops-analyze", (named,)),
            "topics": Errand("synops-suggest-edges", (named, RULES), self.newsroom.models),
            "vectors": Errand("synops-embed", (named,), self.newsroom.models),
            "speech": Errand("synops-tts", (named,)),
            "page": Errand("synops-render", (named,)),
            "clip": Errand("synops-clip", (named,)),
            "prompts": Errand("synops-prompt-eval", (named, "--models=extractive")),
            "moderation": Errand(
                "synops-valgomat", ("--task=moderation", f"--questions-id={node}", RULES), self.newsroom.models
            ),
        }

    def talk(self, text: str, language: str) -> UUID:
        """A conversation in which this was said."""
        talk = self.newsroom.add("talk", "communication", "Møtet")
        media = self.newsroom.add("media", "media", "Opptaket")
        with transaction.atomic(), connection.cursor() as cur:
            insert_edge(cur, Edge(talk, "has_media", media))
            replace_segments(cur, media, [Segment(0, 60_000, text)])
            update_node(cur, media, metadata={"transcript": {"language": language}})
        return talk

    def chat(self, text: str) -> UUID:
        """A conversation in which this was written."""
        chat = self.newsroom.add("chat", "communication", "Prat")
        with connection.cursor() as cur:
            insert_edge(cur, Edge(self.newsroom.add("said", "message", "", text), "belongs_to", chat))
        return chat

    def run(self, errands: dict[str, Errand]) -> dict[str, Outcome]:
        """All at once, without `--write`."""
        started = {name: self.newsroom.start(errand, {}) for name, errand in errands.items()}
        return {name: running.outcome() for name, running in started.items()}


@pytest.fixture
def desk(database_workshop: Workshop, demo: DemoNodes) -> Iterator[Desk]:
    with open_newsroom(database_workshop, demo) as newsroom:
        yield Desk(newsroom)


def wrong(ended: dict[str, Outcome], codes: tuple[int, ...]) -> list[str]:
    """Those that ended otherwise, or without a result, or without a sentence, or with the traces of an error."""
    found = []
    for name, done in ended.items():
        sentence = done.stderr.splitlines()[-1] if done.stderr else ""
        good = json.loads(done.stdout) if done.code == DONE else not done.stdout and sentence.startswith("synops-")
        if done.code not in codes or not good or "Traceback" in done.stderr:
            found.append(f"{name}: {done.code} {sentence[:300]}")
    return found


def test_odd_texts_in_known_and_unknown_languages(desk: Desk) -> None:
    found = []
    for name, text in ODD.items():
        errands = desk.errands(text, language="tlh" if name == "truncated" else "nb")
        if len(text) > SHORT:
            del errands["speech"]
        # There is no voice for Klingon.
        found += [f"{name}, {line}" for line in wrong(desk.run(errands), (DONE, DATA, NO_INPUT, CONFIG))]
    assert found == []


def test_what_is_no_text_and_what_is_not_there(desk: Desk) -> None:
    """A recording without a transcript, a person, the collection itself; and an id that names nothing."""
    nodes = {kind: desk.newsroom.add(kind, kind, "") for kind in ("person", "media")}
    nodes["collection"] = desk.newsroom.demo.collection
    found = []
    for kind, node in nodes.items():
        found += [f"{kind}, {line}" for line in wrong(desk.run(desk.about(node)), (DONE, USAGE, DATA, NO_INPUT))]
    found += [f"nothing, {line}" for line in wrong(desk.run(desk.about(uuid4())), (NO_INPUT,))]
    assert found == []


def test_twenty_megabytes_are_refused_at_once(desk: Desk) -> None:
    errands = desk.errands("Møtet i Ålesund var langt. " * (ENORMOUS // 27))
    for same in ("clean", "dictation", "extract_facts", "minutes"):  # read by what others are, too
        del errands[same]
    ended = desk.run(errands)
    taken = {name: done for name, done in ended.items() if name in READ_THE_BEGINNING}
    assert wrong(taken, (DONE, NO_INPUT)) == []
    assert wrong({name: done for name, done in ended.items() if name not in taken}, (DATA,)) == []
