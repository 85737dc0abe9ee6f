"""synops-valgomat: what a party's programme says to each question, and which questions from the public are usable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from synops.llm.names import EMBEDDING_SETTINGS, SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import ENGINE_PARAM, MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from synops.llm.endpoint import Endpoint
    from synops.tools.call import Call
    from synops.tools.encoder import Encoder
    from synops.tools.subject import Subject

MOST_QUESTIONS: Final = 200
LONGEST_QUESTION: Final = 500

DESCRIPTION = Description(
    name="synops-valgomat",
    version="0.1.0",
    description={
        "nb": "Finner hva et partiprogram sier til valgomatens spørsmål, og sorterer innsendte spørsmål.",
        "en": "Finds what a party programme says to the questions of a voting guide, and sorts questions sent in.",
    },
    job_types=("valgomat_generate_profile", "valgomat_moderation"),
    job_type_by={
        "param": "task",
        "values": {"profile": "valgomat_generate_profile", "moderation": "valgomat_moderation"},
    },
    aliases={
        "nb": ("lag partiprofil", "lag kandidatprofil", "moderer spørsmålene", "moderer valgomaten"),
        "nn": ("lag partiprofil", "lag kandidatprofil", "moderer spørsmåla"),
        "en": ("make a party profile", "moderate questions"),
    },
    params=(
        Param(
            name="task",
            type="string",
            enum={
                "profile": {
                    "nb": ("partiprofil", "kandidatprofil"),
                    "nn": ("partiprofil", "kandidatprofil"),
                    "en": ("profile", "make a party profile"),
                },
                "moderation": {
                    "nb": ("moderer spørsmålene", "moderer valgomaten"),
                    "nn": ("moderer spørsmåla",),
                    "en": ("moderate questions",),
                },
            },
            default="profile",
            description={
                "nb": "profile = svar fra et program; moderation = doble og skjeve spørsmål.",
                "en": "profile = answers from a programme; moderation = doubled and slanted questions.",
            },
        ),
        Param(
            name="questions_id",
            type="uuid",
            required=True,
            bind=("event.node_id",),
            hints={"nb": ("spørsmål",), "nn": ("spørsmål",), "en": ("the questions",)},
            description={
                "nb": "Noden med spørsmålene, ett på hver linje.",
                "en": "The node with the questions, one on each line.",
            },
        ),
        Param(
            name="programme_id",
            type="uuid",
            description={"nb": "Noden med partiprogrammet.", "en": "The node with the party programme."},
        ),
        Param(
            name="known_id",
            type="uuid",
            description={
                "nb": "Noden med spørsmål som alt er godkjent.",
                "en": "The node with questions that are accepted already.",
            },
        ),
        ENGINE_PARAM,
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={"answers": "list", "questions": "list", "counts": "object", "profile_node_id": "uuid", **OUTPUTS},
    weight=2,
    timeout=3600,
    database="write",
    settings=(*SETTINGS, *EMBEDDING_SETTINGS),
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-valgomat --questions-id=0190f5a6-0000-7000-8000-000000000001 --programme-id=0190f5a6-0000-7000-8000-000000000002",
        "synops-valgomat --task=moderation --questions-id=0190f5a6-0000-7000-8000-000000000001 --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Read questions and what they are held against, and under `--write` keep the outcome as a node."""
    from synops.tools.encoder import encoder_of
    from synops.tools.engines import chosen_model

    place = chosen_model(call)
    encoder = encoder_of(call)
    moderation = call.payload["task"] == "moderation"
    asked, other = _read(call, "known_id" if moderation else "programme_id")
    questions = _questions(asked)
    if moderation:
        found = _moderated(call, asked, questions, _questions(other) if other else [], encoder, place)
    else:
        found = _profile(call, asked, questions, other, encoder, place)
    stored = _store(call, asked, other, found) if call.write else None
    return {**found, "profile_node_id": stored}


def _read(call: Call, second: str) -> tuple[Subject, Subject | None]:
    from synops.tools.database import reading
    from synops.tools.failures import BadUsage
    from synops.tools.subject import read_subject

    if second == "programme_id" and not call.payload[second]:
        raise BadUsage("--task=profile needs --programme-id")
    with reading(call) as cur:
        asked = read_subject(call, cur, call.uuid("questions_id"))
        return asked, read_subject(call, cur, call.uuid(second)) if call.payload[second] else None


def _questions(subject: Subject) -> list[str]:
    """The lines of a node's text, without bullets and numbers. Raises NoInput, BadInput."""
    import re

    from synops.tools.failures import BadInput, NoInput

    lines = (re.sub(r"^\s*(?:[-*•]|\d+[.)])?\s*", "", line).strip() for line in subject.text.splitlines())
    found = [" ".join(line.split()) for line in lines if line]
    if not found:
        raise NoInput(f'"{subject.node.title}" ({subject.node.id}) holds no questions; write one on each line')
    if len(found) > MOST_QUESTIONS or max(map(len, found)) > LONGEST_QUESTION:
        raise BadInput(
            f"at most {MOST_QUESTIONS} questions of {LONGEST_QUESTION} characters each can be treated at once"
        )
    return found


def _profile(
    call: Call,
    asked: Subject,
    questions: Sequence[str],
    programme: Subject | None,
    encoder: Encoder,
    place: Endpoint | None,
) -> dict[str, Any]:
    """The programme's nearest passages to each question; a stance only where a model has read and quoted them."""
    from synops.llm.usage import Usage
    from synops.tools.encoder import passages_of
    from synops.tools.engines import by_model, by_rules
    from synops.tools.failures import NoInput
    from synops.tools.stances import evidence, stance

    if programme is None or not programme.text.strip():
        raise NoInput("the programme has no text")
    passages = passages_of(programme.text)
    vectors = encoder.passages(passages, lambda done: call.progress(done / 2, "reading the programme"))
    answers, usage, model = [], Usage(), ""
    for number, question in enumerate(questions):
        call.progress(0.5 + number / len(questions) / 2, question[:60])
        entry = evidence(question, encoder.query(question), passages, vectors)
        if place:
            said = stance(call, place, question, entry["evidence"], programme.language)
            entry |= said.value
            usage, model = usage + said.usage, said.model
        answers.append(entry)
    made = by_model(model, programme.language, usage) if place else by_rules(programme.language)
    return {"answers": answers, "questions_id": str(asked.node.id), **made, "encoder": encoder.model}


def _moderated(
    call: Call, asked: Subject, questions: Sequence[str], known: Sequence[str], encoder: Encoder, place: Endpoint | None
) -> dict[str, Any]:
    """Rules decide; a model only words slanted questions anew, for a person to accept."""
    from collections import Counter

    from synops.llm.usage import Usage
    from synops.tools.engines import by_model, by_rules
    from synops.tools.questions import moderate
    from synops.tools.stances import neutral

    vectors = [encoder.query(question) for question in questions]
    judged = moderate(questions, vectors, known, [encoder.query(one) for one in known], asked.language)
    usage, model = Usage(), ""
    for entry in judged if place else ():
        if entry["issues"] and entry["decision"] != "duplicate" and place:
            said = neutral(call, place, entry, asked.language)
            entry["suggestion"] = said.value["question"]
            usage, model = usage + said.usage, said.model
    counts = Counter(entry["decision"] for entry in judged)
    made = by_model(model, asked.language, usage) if model else by_rules(asked.language)
    return {"questions": judged, "counts": dict(counts), **made, "encoder": encoder.model}


def _store(call: Call, asked: Subject, other: Subject | None, found: dict[str, Any]) -> str:
    """One profile for each programme and set of questions, one moderation for each set; a later run replaces it."""
    from uuid import uuid5

    from synops.store.edges import Edge, insert_edge
    from synops.store.identities import NAMESPACE
    from synops.store.nodes import Node, upsert_node
    from synops.tools.database import writing
    from synops.tools.stances import as_markdown

    about = other if other and call.payload["task"] == "profile" else asked
    key = uuid5(NAMESPACE, f"valgomat:{call.payload['task']}:{asked.node.id}:{other.node.id if other else ''}")
    kept = {name: value for name, value in found.items() if name != "usage"}
    title = f"{'Profil' if call.payload['task'] == 'profile' else 'Moderering'}: {about.node.title}"
    with writing(call) as cur:
        upsert_node(cur, Node(key, "content", title, as_markdown(found), {"valgomat": call.payload["task"], **kept}))
        insert_edge(cur, Edge(key, "derived_from", about.node.id))
        for collection in asked.collections:
            insert_edge(cur, Edge(key, "belongs_to", collection))
    return str(key)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
