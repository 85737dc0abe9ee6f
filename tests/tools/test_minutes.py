from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from django.db import connection

from synops.demo.data import DemoNodes
from synops.store.nodes import update_node
from synops.tools.conversation import Sentence
from synops.tools.dates import due
from synops.tools.extractive import split_sentences
from synops.tools.minutes import as_markdown, minutes
from tests.llm.server import Text, model_server
from tests.tools.conftest import Workshop, rows, running_job
from tests.tools.test_summarize import ARTICLE, summary_of, transcribe

MEETING = (
    "Velkommen til møtet om julesendingen. Vi snakket først om budsjettet. Redaksjonen ble enige om å bruke 40 000 kroner. "
    "Per skal sende budsjettet til Kari innen fredag. Saken skal opp igjen senere. Kari tar kontakt med studioet før 15. "
    "desember. Vi besluttet å spille inn i Oslo. Hvem skriver manus til åpningen? Anne Berg har ansvar for musikken. "
    "Jeg skal ringe trykkeriet i morgen. Ola skal ikke være med. Studioet er stort og fint. Da må vi spørre Per om det."
)
EN = "We met today. The board approved the budget. Kate will write the report by Friday. Who pays for the hall then?"
NN = "Vi møttest i dag. Styret vart samde om å kjøpe båten. Kari skal ringje verftet innan fredag. Kven køyrer båten heim?"


def read(text: str, language: str = "nb") -> dict[str, Any]:
    sentences = [Sentence(one, 0, at * 1000) for at, one in enumerate(split_sentences(text))]
    return minutes(sentences, language, ["Ola Dunk", "Kate Hansen", "Kari Lie"], date(2026, 11, 30))


def test_decisions_actions_and_questions_are_sentences_that_were_said() -> None:
    found = read(MEETING)
    assert [one["text"] for one in found["decisions"]] == [
        "Redaksjonen ble enige om å bruke 40 000 kroner.",
        "Vi besluttet å spille inn i Oslo.",
    ]
    assert [(one["owner"], one["due"], one["due_date"]) for one in found["actions"]] == [
        ("Per", "innen fredag", "2026-12-04"),
        ("Kari", "før 15. desember", "2026-12-15"),
        ("Anne Berg", None, None),
        (None, "i morgen", "2026-12-01"),
    ]
    assert [one["text"] for one in found["questions"]] == ["Hvem skriver manus til åpningen?"]
    text = as_markdown(found, "nb")
    assert "- Anne Berg har ansvar for musikken. (ansvar: Anne Berg)" in text
    assert "## Beslutninger" in text


@pytest.mark.parametrize(("text", "language", "owner"), [(EN, "en", "Kate"), (NN, "nn", "Kari")])
def test_other_languages(text: str, language: str, owner: str) -> None:
    found = read(text, language)
    assert [len(found[kind]) for kind in ("decisions", "actions", "questions")] == [1, 1, 1]
    assert found["actions"][0]["owner"] == owner
    assert found["actions"][0]["due_date"] == "2026-12-04"


def test_an_article_is_no_meeting() -> None:
    found = read(ARTICLE)
    assert [one["owner"] for one in found["actions"]] == ["Per Olsen"]  # "Saken skal opp …" is nobody's
    assert len(found["decisions"]) == 1


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("innen mandag", "2026-12-07"),
        ("før 1. mars", "2027-03-01"),
        ("by December 24th", "2026-12-24"),
        ("neste uke", "2026-12-07"),
        ("innen 31. februar", None),
        ("snart", None),
        ("", None),
    ],
)
def test_days_as_people_say_them(words: str, day: str | None) -> None:
    found = due(f"Kari skal ringe {words}.", date(2026, 11, 30))[1]
    assert (found and found.isoformat()) == day
    assert due(f"Kari skal ringe {words}.", None)[1] is None


def test_minutes_stand_beside_the_summary(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, MEETING)
    with connection.cursor() as cur:
        update_node(cur, demo.communication, metadata={"ended_at": "2026-11-30T15:00:00+01:00"})
    flags = (f"--communication-id={demo.communication}", "--write")
    job = running_job(demo.collection, "meeting_summarize")
    for _ in range(2):
        result = database_workshop.run("synops-summarize", *flags, "--form=minutes", **job).result
    database_workshop.run("synops-summarize", *flags, **running_job(demo.collection, "summarize_communication"))
    stored = {json.loads(str(row[4]))["form"]: row for row in summary_of(demo)}
    assert set(stored) == {"minutes", "summary"}
    key, kind, title, content, metadata, edges = stored["minutes"]
    assert (str(key), kind, title) == (
        result["summary_node_id"],
        "content",
        "Referat: Sense and Sensibility, chapter 1",
    )
    assert "Per skal sende budsjettet til Kari innen fredag. (ansvar: Per; frist: innen fredag)" in str(content)
    assert json.loads(str(metadata))["actions"][0]["due_date"] == "2026-12-04"
    assert (result["engine"], result["quality"]) == ("extractive", "draft")
    assert edges == [f"belongs_to {demo.collection}", f"summary {demo.communication}"]


def test_a_model_quotes_what_it_minutes(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, MEETING)

    def said(evidence: str, owner: str | None) -> str:
        action = {"text": "Sende budsjettet", "evidence": evidence, "owner": owner, "due": "innen fredag"}
        return json.dumps({"summary": "Kort.", "decisions": [], "actions": [action], "questions": []})

    with model_server(Text(said("Per lovte alt", "Batman")), Text(said("per skal sende budsjettet", "Per"))) as server:
        flags = (f"--communication-id={demo.communication}", "--form=minutes")
        result = database_workshop.run("synops-summarize", *flags, **server.environ).result
    [action] = result["actions"]
    assert (action["owner"], action["start_ms"] > 0, result["engine"], result["usage"]["calls"]) == (
        "Per",
        True,
        "llm",
        2,
    )
    objection = server.requests[1]["messages"][-1]["content"]
    assert '"Per lovte alt" does not stand in the transcript' in objection
    assert "owner Batman is named nowhere" in objection


def test_a_summary_by_a_model(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, MEETING)
    with model_server(Text("They talked about Christmas.")) as server:
        flags = (f"--communication-id={demo.communication}", "--language=en", "--length=short", "--write")
        result = database_workshop.run("synops-summarize", *flags, **server.environ).result
    assert (result["summary"], result["engine"], result["model"]) == (
        "They talked about Christmas.",
        "llm",
        "test/model-1",
    )
    assert "at most 3 sentences" in server.requests[0]["messages"][0]["content"]
    assert "Write in English" in server.requests[0]["messages"][0]["content"]
    assert [row[2:4] for row in summary_of(demo)] == [("Summary: Sense and Sensibility, chapter 1", result["summary"])]
    assert rows("SELECT metadata ? 'usage' FROM nodes WHERE metadata ? 'summary_of'") == [(False,)]
