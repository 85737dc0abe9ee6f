"""Every program that asks a model, and every way in which a model server fails: its exit code, and nothing written or told."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from synops.demo.data import DemoNodes
from tests.llm.server import Hang, ModelServer, Raw, Reply, Status, Text, model_server, stream
from tests.tools.conftest import Workshop
from tests.tools.newsroom import DESCRIPTIONS, Errand, Newsroom, open_newsroom, vectors
from tests.tools.test_killed_after_commit import differences, everything
from tests.tools.test_prompt_eval import SET

#: One attempt: the pause before a second would end after this.
ONCE = {"SYNOPS_LLM_TIMEOUT_SECONDS": "1", "SYNOPS_LLM_MAX_CONCURRENT": "20"}
PATIENT = {"SYNOPS_LLM_MAX_CONCURRENT": "20"}
#: Vectors that the server always gives: those who need some before they ask have no 90 MB to load.
QUICK = {"SYNOPS_EMBEDDINGS_MODEL": "vectors"}
NO_MODEL = Status(404, '{"error": {"message": "no such model; your key sk-very-secret is fine"}}')
AGAIN, CONFIG, DONE = 75, 78, 0


@dataclasses.dataclass(frozen=True)
class Failure:
    """What the server does, how patient the programs are, and how they must end; `prose` suits those that want text."""

    reply: Reply
    environ: Mapping[str, str]
    code: int
    said: str
    prose: bool = False


FAILURES = {
    "down": Failure(Hang(), ONCE | {"SYNOPS_LLM_BASE_URL": "http://127.0.0.1:9/v1"}, AGAIN, "can't be reached"),
    "slow": Failure(Hang(), ONCE | {"SYNOPS_LLM_READ_TIMEOUT_SECONDS": "0.3"}, AGAIN, "did not answer|was not done"),
    "rate-limited": Failure(Status(429, headers={"Retry-After": "900"}), PATIENT, AGAIN, "answered 429"),
    "prose": Failure(
        Text("Gjerne! Her er en fin analyse for deg."), PATIENT, AGAIN, "no usable|no embeddings", prose=True
    ),
    "garbage": Failure(Raw(b"data: {no json\n\n"), ONCE, AGAIN, ""),
    "cut": Failure(stream({"choices": [{"delta": {"content": '{"half": "an ans'}}]}, done=False), ONCE, AGAIN, ""),
    "wrong model": Failure(NO_MODEL, PATIENT, CONFIG, "the model's name"),
    "wrong key": Failure(Status(401, "bad key sk-very-secret"), PATIENT, CONFIG, "Check SYNOPS_LLM_API_KEY"),
}
#: They want text, so prose is an answer to them. A rule's question that gets none is that rule's verdict.
CONTENT_WITH_PROSE = ("rewrite", "clip", "reply", "summary", "prompts", "rule")


def errands(newsroom: Newsroom) -> dict[str, Errand]:
    """Each thing for which a program asks a model."""
    article, talk = f"--node-id={newsroom.nodes['article']}", f"--communication-id={newsroom.demo.communication}"
    asked, slanted = (f"--questions-id={newsroom.nodes[name]}" for name in ("questions", "slanted"))
    return {
        "rewrite": Errand("synops-ai", ("--task=rewrite", article)),
        "dictation": Errand("synops-ai", ("--task=dictation", article)),
        "analysis": Errand("synops-analyze", (article,)),
        "clip": Errand("synops-clip", (f"--node-id={newsroom.nodes['link']}",), newsroom.environ),
        "vectors": Errand("synops-embed", (article,), {"SYNOPS_EMBEDDINGS_MODEL": "e5"}),
        "rule": Errand("synops-evaluate", _a_case_with_a_question(newsroom.workshop), newsroom.environ),
        "prompts": Errand("synops-prompt-eval", (f"--node-id={newsroom.nodes['tests']}", "--models=a")),
        "reply": Errand("synops-respond", (talk,), QUICK),
        "topics": Errand("synops-suggest-edges", (article,)),
        "summary": Errand("synops-summarize", (talk,)),
        "minutes": Errand("synops-summarize", (talk, "--form=minutes")),
        "profile": Errand("synops-valgomat", (asked, f"--programme-id={newsroom.nodes['programme']}"), QUICK),
        "moderation": Errand("synops-valgomat", (slanted, "--task=moderation"), QUICK),
    }


def _a_case_with_a_question(workshop: Workshop) -> tuple[str, ...]:
    """By hand, from files: a rule set whose one rule asks a model about one letter."""
    rule = {"id": "terms", "kind": "llm", "documents": ["application"], "expression": "Does the applicant accept?"}
    folder = Path(workshop.environ["CASES_DIR"]) / "rule_sets"
    folder.mkdir(parents=True)
    (folder / "asking@1.json").write_text(json.dumps({"rules": [rule]}))
    text = workshop.store.put_bytes(b"I accept the terms.").digest
    letter = {"id": "1", "name": "letter", "kind": "application", "facts": {}, "text_hash": text}
    path = workshop.root / "case.json"
    path.write_text(json.dumps({"case": {}, "documents": [letter]}))
    return (f"--path={path}", "--rule-set=asking@1")


@pytest.fixture
def newsroom(database_workshop: Workshop, demo: DemoNodes) -> Iterator[Newsroom]:
    environ = {**database_workshop.environ, "CASES_DIR": str(database_workshop.root / "cases")}
    workshop = dataclasses.replace(database_workshop, environ=environ)
    with open_newsroom(workshop, demo) as newsroom:
        newsroom.add("slanted", "content", "Skjeve", "Hvorfor sløser kommunen bort pengene?")
        newsroom.add("tests", "content", "Testsett", json.dumps(SET))
        yield newsroom


def test_all_programs_that_name_a_model_are_asked(newsroom: Newsroom) -> None:
    asking = {name for name, tool in DESCRIPTIONS.items() if "SYNOPS_LLM_BASE_URL" in tool.settings}
    wanted = errands(newsroom)
    assert {errand.program for errand in wanted.values()} == asking
    before, wrong = everything(), []
    for name, failure in FAILURES.items():

        def think(body: dict[str, Any], failing: Reply = failure.reply) -> Reply:
            return vectors(body) if body["model"] == QUICK["SYNOPS_EMBEDDINGS_MODEL"] else failing

        with model_server(think=think) as server:
            wrong += [f"{name}, {line}" for line in _all_at_once(newsroom, wanted, failure, server)]
    assert wrong == []
    assert differences(before, everything()) == {}


def _all_at_once(newsroom: Newsroom, wanted: Mapping[str, Errand], failure: Failure, server: ModelServer) -> list[str]:
    """Start every errand, then look how each has ended; what is wrong, in sentences."""
    environ = {**server.environ, **failure.environ}
    started = {}
    for title, errand in wanted.items():
        write = DESCRIPTIONS[errand.program].database == "write" and title != "rule" and not failure.prose
        job = newsroom.job(errand) if write else {}
        started[title] = newsroom.start(errand, job, *(["--write"] if write else []), **environ)
    wrong = []
    for title, running in started.items():
        done = running.outcome()
        code = DONE if failure.prose and title in CONTENT_WITH_PROSE else failure.code
        told = done.stderr.splitlines()[-1] if done.stderr else ""
        if (done.code, bool(done.stdout)) != (code, code == DONE) or (code and not re.search(failure.said, told)):
            wrong.append(f"{title}: {done.code} {told or done.stdout[:200]}")
        if "very-secret" in done.stderr + done.stdout:
            wrong.append(f"{title}: tells the key")
    return wrong
