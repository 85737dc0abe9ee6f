"""synops-suggest-edges: what a text is about and whom it names, as edges for a person to accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from synops.llm.names import EMBEDDING_SETTINGS, SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import ENGINE_PARAM, MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from synops.llm.endpoint import Endpoint
    from synops.store.candidates import Candidate
    from synops.tools.call import Call
    from synops.tools.likeness import Proposal
    from synops.tools.subject import Subject

DEFAULT_MIN_CHARS: Final = 200
# A model chooses badly from a list that it can't keep in mind.
MOST_SHOWN: Final = 300
TASK: Final = (
    "You tag texts in a newsroom's archive. From the list of candidates choose those that the material is about (topics) or "
    "names (all others). For each give its number, a score from 0 to 1, and as evidence one sentence copied word for word from "
    "the material. Then give new_topics: subjects of the material that no candidate covers, as short titles, at most 5."
)
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "chosen": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "score": {"type": "number", "minimum": 0, "maximum": 1},
                    "evidence": {"type": "string", "minLength": 1},
                },
                "required": ["number", "score", "evidence"],
                "additionalProperties": False,
            },
        },
        "new_topics": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    },
    "required": ["chosen", "new_topics"],
    "additionalProperties": False,
}

DESCRIPTION = Description(
    name="synops-suggest-edges",
    version="0.1.0",
    description={
        "nb": "Foreslår emner og omtaler for en tekst, som koblinger et menneske kan godta.",
        "en": "Suggests topics and mentions for a text, as edges that a person can accept.",
    },
    job_types=("suggest_edges",),
    aliases={
        "nb": (
            "foreslå koblinger", "foreslå emner", "foreslå tagger", "foreslå lenker", "finn emner", "finn koblinger",
        ),
        "nn": ("foreslå koplingar", "foreslå emne", "foreslå lenkjer", "finn emne", "finn koplingar"),
        "en": ("suggest edges", "suggest links", "suggest topics", "find topics"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.node_id", "event.target_id"),
            hints={
                "nb": ("node", "artikkel", "sak", "tekst", "innhold", "notat", "episode"),
                "nn": ("node", "artikkel", "sak", "tekst", "innhald", "notat", "episode"),
                "en": ("the node", "the article", "the story", "the text", "the content", "the note", "the episode"),
            },
            description={"nb": "Teksten.", "en": "The text."},
        ),
        Param(
            name="max",
            type="integer",
            minimum=1,
            maximum=50,
            default=10,
            slot={"kind": "number"},
            hints={"nb": ("forslag", "stykker"), "nn": ("forslag", "stykke"), "en": ("suggestions",)},
            description={"nb": "Høyst så mange forslag.", "en": "At most so many suggestions."},
        ),
        ENGINE_PARAM,
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={"suggestions": "list", "new_topics": "list", "written": "integer", "skipped": "string", **OUTPUTS},
    database="write",
    settings=(*SETTINGS, *EMBEDDING_SETTINGS, "SUGGEST_MIN_CHARS"),
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-suggest-edges --node-id=0190f5a6-0000-7000-8000-000000000001",
        "synops-suggest-edges --node-id=0190f5a6-0000-7000-8000-000000000001 --max=5 --write",
    ),
)  # fmt: skip


def work(call: Call) -> dict[str, Any]:
    """Read text and candidates, choose, and under `--write` draw the edges that nobody has decided on yet."""
    from synops.store.candidates import edge_candidates
    from synops.tools.database import reading
    from synops.tools.engines import chosen_model
    from synops.tools.failures import NoInput
    from synops.tools.subject import read_subject

    place = chosen_model(call)
    with reading(call) as cur:
        subject = read_subject(call, cur, call.uuid("node_id"))
        if len(subject.text) < _fewest_letters(call):
            return {"skipped": "too little text"}
        if not subject.collections:
            raise NoInput(f"node {subject.node.id} belongs to no collection, so there is nothing to join it to")
        candidates = edge_candidates(cur, subject.node.id, subject.collections[0])
    ours = [one for one in candidates if one.open]
    if place:
        chosen, rest = _by_model(call, subject, ours, place)
    else:
        chosen, rest = _by_rules(call, subject, ours)
    written = _store(call, subject.node.id, chosen) if call.write else 0
    return {"suggestions": [_shown(one) for one in chosen], "written": written, **rest}


def _fewest_letters(call: Call) -> int:
    from synops.tools.failures import NotConfigured

    text = call.environ.get("SUGGEST_MIN_CHARS") or str(DEFAULT_MIN_CHARS)
    if not text.isdecimal():
        raise NotConfigured(f'SUGGEST_MIN_CHARS is "{text}" and must be a number of characters; its default is 200.')
    return int(text)


def _by_rules(call: Call, subject: Subject, candidates: Sequence[Candidate]) -> tuple[list[Proposal], dict[str, Any]]:
    """By title, and by meaning where the weights are installed; words that no topic covers are offered as new ones."""
    from synops.tools.encoder import encoder_of
    from synops.tools.engines import by_rules
    from synops.tools.failures import NotConfigured
    from synops.tools.keywords import keywords
    from synops.tools.likeness import proposals

    try:
        encoder = encoder_of(call)
    except NotConfigured as missing:
        call.log(f"topics are found by their titles alone: {missing}")
        encoder = None
    found = proposals(subject.text, subject.language, candidates, encoder, call.payload["max"])
    titles = {one.title.casefold() for one in candidates}
    new = [word for word in keywords(subject.text, subject.language, 5) if word not in titles]
    return found, {"new_topics": new, **by_rules(subject.language), "model": encoder.model if encoder else None}


def _by_model(
    call: Call, subject: Subject, candidates: Sequence[Candidate], place: Endpoint
) -> tuple[list[Proposal], dict[str, Any]]:
    from synops.tools.engines import brief, by_model, material
    from synops.tools.likeness import LONGEST_EVIDENCE, Proposal
    from synops.tools.model import data

    shown = list(candidates)[:MOST_SHOWN]
    listed = "\n".join(f"{number}. {one.title} ({one.node_kind})" for number, one in enumerate(shown, start=1))
    task = f"{TASK}\nAt most {call.payload['max']} candidates.\n\nCandidates:\n{listed or '(none)'}"
    plain = _plain(subject.text)

    def check(value: Any) -> list[str]:
        wrong = [
            f"there is no candidate {one['number']}" for one in value["chosen"] if not 1 <= one["number"] <= len(shown)
        ]
        made_up = [one["evidence"] for one in value["chosen"] if _plain(one["evidence"]) not in plain]
        return wrong + [f'"{text[:80]}" does not stand in the material; copy it word for word' for text in made_up]

    talk = [brief(task, subject.language, ""), material(subject.text)]
    answer = data(
        call, place, talk, SCHEMA, tier=call.payload["intelligence"], model=call.payload["model"] or "", check=check
    )
    # One that is chosen twice counts once, the surer time.
    best = {one["number"]: one for one in sorted(answer.value["chosen"], key=lambda one: one["score"])}
    found = [
        Proposal(shown[one["number"] - 1], round(float(one["score"]), 4), one["evidence"][:LONGEST_EVIDENCE])
        for one in sorted(best.values(), key=lambda one: -one["score"])
    ]
    rest = {"new_topics": answer.value["new_topics"], **by_model(answer.model, subject.language, answer.usage)}
    return found[: call.payload["max"]], rest


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .\"'«»“”")


def _shown(proposal: Proposal) -> dict[str, Any]:
    one = proposal.candidate
    return {
        "node_id": str(one.id),
        "title": one.title,
        "edge_type": one.edge_type,
        "score": proposal.score,
        "evidence": proposal.evidence,
    }


def _store(call: Call, node: UUID, chosen: Sequence[Proposal]) -> int:
    """Draw the proposed edges. One that a person has drawn or refused meanwhile is left alone; how many were written."""
    from synops.store.candidates import PROPOSED, decided_edges
    from synops.store.edges import Edge, insert_edge
    from synops.tools.database import writing

    with writing(call) as cur:
        decided = decided_edges(cur, node)
        fresh = [one for one in chosen if (one.candidate.id, one.candidate.edge_type) not in decided]
        for one in fresh:
            told = {"state": PROPOSED, "score": one.score, "evidence": one.evidence, "by": "synops-suggest-edges"}
            insert_edge(cur, Edge(node, one.candidate.edge_type, one.candidate.id, told))
    return len(fresh)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
