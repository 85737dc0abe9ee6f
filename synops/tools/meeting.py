"""The minutes part of synops-summarize: by rules, or by a model whose every entry must quote the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from synops.tools.conversation import Conversation, Sentence
from synops.tools.minutes import as_markdown, minutes

if TYPE_CHECKING:
    from synops.llm.endpoint import Endpoint
    from synops.tools.call import Call

TASK: Final = (
    "You write the minutes of a meeting from its transcript: summary (two to four sentences), decisions (what was decided), "
    "actions (who has to do what, and by when; owner and due are null when nobody said so), questions (what stayed open). "
    "For every entry copy as evidence the words of the transcript that it comes from, letter for letter."
)
_ENTRY: Final = {"text": {"type": "string", "minLength": 1}, "evidence": {"type": "string", "minLength": 1}}
_MAYBE: Final = {"type": ["string", "null"]}


def _entries(**more: Any) -> dict[str, Any]:
    properties = {**_ENTRY, **more}
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "array", "items": item}


SCHEMA: Final = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "minLength": 1},
        "decisions": _entries(),
        "actions": _entries(owner=_MAYBE, due=_MAYBE),
        "questions": _entries(),
    },
    "required": ["summary", "decisions", "actions", "questions"],
    "additionalProperties": False,
}
KINDS: Final = ("decisions", "actions", "questions")


def minutes_of(
    call: Call, talk: Conversation, sentences: Sequence[Sentence], place: Endpoint | None
) -> tuple[dict[str, Any], str]:
    """The result and its text in Markdown."""
    from synops.tools.engines import by_rules

    language = call.payload["language"] or talk.language
    if place:
        found = _by_model(call, talk, sentences, place, language)
    else:
        people = (*talk.participants, *(talk.collection.names if talk.collection else ()))
        call.progress(0.5, f"reading {len(sentences)} sentences")
        found = minutes(sentences, talk.language, people, talk.day) | by_rules(talk.language)
    return {**found, "sentence_count": len(sentences)}, as_markdown(found, language)


def _by_model(
    call: Call, talk: Conversation, sentences: Sequence[Sentence], place: Endpoint, language: str
) -> dict[str, Any]:
    from synops.tools.engines import brief, by_model, material
    from synops.tools.model import data

    text = " ".join(sentence.text for sentence in sentences)
    people = f"\nThose who took part: {', '.join(talk.participants)}." if talk.participants else ""

    def check(value: Any) -> list[str]:
        made_up = [
            one["evidence"] for kind in KINDS for one in value[kind] if _plain(one["evidence"]) not in _plain(text)
        ]
        known = text.casefold() + " ".join(talk.participants).casefold()
        strangers = [one["owner"] for one in value["actions"] if one["owner"] and one["owner"].casefold() not in known]
        return [f'"{quote[:80]}" does not stand in the transcript; copy it letter for letter' for quote in made_up] + [
            f"owner {name} is named nowhere" for name in strangers
        ]

    messages = [brief(TASK + people, language, talk.prompts.get("minutes", "")), material(text)]
    said = data(
        call, place, messages, SCHEMA, tier=call.payload["intelligence"], model=call.payload["model"] or "", check=check
    )
    placed = {kind: [_placed(one, sentences, talk) for one in said.value[kind]] for kind in KINDS}
    return {"summary": said.value["summary"], **placed, **by_model(said.model, language, said.usage)}


def _placed(entry: dict[str, Any], sentences: Sequence[Sentence], talk: Conversation) -> dict[str, Any]:
    """The entry with the place of its evidence, and its date where it can be told."""
    from synops.tools.dates import due

    wanted = _plain(entry["evidence"])
    at = next((one for one in sentences if wanted in _plain(one.text) or _plain(one.text) in wanted), None)
    place = {"recording": at.recording, "start_ms": at.start_ms} if at else {}
    day = due(entry["due"], talk.day)[1] if entry.get("due") else None
    return {**entry, **place, **({"due_date": day and day.isoformat()} if "due" in entry else {})}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,\"'«»“”")
