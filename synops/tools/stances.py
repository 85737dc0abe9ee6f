"""What a programme says to a question: passages by meaning, and a stance only from a model that quotes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from synops.tools.encoder import Vector, cosine
from synops.tools.engines import brief

if TYPE_CHECKING:
    from synops.llm.endpoint import Endpoint
    from synops.llm.structured import Data
    from synops.tools.call import Call

PASSAGES: Final = 3
STANCES: Final = ("for", "against", "both", "unknown")
STANCE_TASK: Final = (
    "A party's programme is searched for an answer to a question of a voting guide. From the passages alone give: stance (for, "
    "against, both, or unknown when they do not answer it), reason (one sentence), and quote (the words that show it, copied "
    "letter for letter; empty only when the stance is unknown)."
)
STANCE_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "stance": {"enum": list(STANCES)},
        "reason": {"type": "string", "minLength": 1},
        "quote": {"type": "string"},
    },
    "required": ["stance", "reason", "quote"],
    "additionalProperties": False,
}
NEUTRAL_TASK: Final = (
    "Word the question for a voting guide so that it is neutral: no loaded words, no presupposition, no negation, one question "
    "only, answerable with agree or disagree. Keep what it asks about."
)
NEUTRAL_SCHEMA: Final = {
    "type": "object",
    "properties": {"question": {"type": "string", "minLength": 5, "maxLength": 500}},
    "required": ["question"],
    "additionalProperties": False,
}


def evidence(question: str, vector: Vector, passages: Sequence[str], vectors: Sequence[Vector]) -> dict[str, Any]:
    """The question with the passages that lie nearest. Rules take no stance."""
    ranked = sorted(((cosine(vector, place), -at) for at, place in enumerate(vectors)), reverse=True)[:PASSAGES]
    found = [{"passage": -at + 1, "text": passages[-at], "score": round(score, 4)} for score, at in ranked]
    return {"question": question, "stance": None, "evidence": found}


def stance(call: Call, place: Endpoint, question: str, found: Sequence[Mapping[str, Any]], language: str) -> Data:
    """The model's stance, reason and quote; a quote that does not stand in the passages is sent back."""
    from synops.tools.model import data

    text = "\n\n".join(str(one["text"]) for one in found)

    def check(value: Any) -> list[str]:
        if value["stance"] == "unknown":
            return []
        quoted = _plain(value["quote"])
        return (
            []
            if quoted and quoted in _plain(text)
            else ["quote does not stand in the passages; copy it letter for letter"]
        )

    talk = [
        brief(STANCE_TASK, language),
        {"role": "user", "content": f"Question: {question}\n\n<material>\n{text}\n</material>"},
    ]
    return data(call, place, talk, STANCE_SCHEMA, check=check, **_choice(call))


def neutral(call: Call, place: Endpoint, entry: Mapping[str, Any], language: str) -> Data:
    """A neutral wording, which the same lint has to pass."""
    from synops.tools.model import data
    from synops.tools.questions import lint

    def check(value: Any) -> list[str]:
        return [f'"{issue["words"]}" is still {issue["kind"]}' for issue in lint(value["question"], language)]

    reasons = ", ".join(f"{issue['kind']} ({issue['words']})" for issue in entry["issues"])
    talk = [
        brief(NEUTRAL_TASK, language),
        {"role": "user", "content": f"Question: {entry['question']}\nWhat was found in it: {reasons}"},
    ]
    return data(call, place, talk, NEUTRAL_SCHEMA, check=check, **_choice(call))


def _choice(call: Call) -> dict[str, Any]:
    return {"tier": call.payload["intelligence"], "model": call.payload["model"] or ""}


def as_markdown(found: Mapping[str, Any]) -> str:
    """Answers or judged questions as a text for people."""
    lines = []
    for one in found.get("answers", ()):
        lines += [f"## {one['question']}", one["stance"] or "–", *(f"> {part['text']}" for part in one["evidence"]), ""]
    for one in found.get("questions", ()):
        reasons = ", ".join(f"{issue['kind']}: {issue['words']}" for issue in one["issues"])
        near = f" ({one['relation']}: {one['nearest']})" if "nearest" in one else ""
        lines.append(f"- {one['decision']}{near}: {one['question']}{f' [{reasons}]' if reasons else ''}")
    return "\n".join(lines).strip()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,\"'«»“”")
