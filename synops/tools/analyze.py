"""synops-analyze: title, description, keywords, names and chapters of a recording, from its transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from synops.llm.names import SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import ENGINE_PARAM, MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.llm.endpoint import Endpoint
    from synops.tools.call import Call
    from synops.tools.subject import Subject

TASK: Final = (
    "You describe recordings for a newsroom. From the transcript give: title (at most 80 characters), description (two or "
    "three sentences), keywords (5 to 10 single words or short terms), names (persons, places and organisations that are "
    "named, spelt as in the transcript), and chapters (where a new subject begins; start as m:ss, taken from the marks in "
    "the transcript; none for a short recording)."
)
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 200},
        "description": {"type": "string", "minLength": 1},
        "keywords": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
        "names": {"type": "array", "items": {"type": "string"}, "maxItems": 50},
        "chapters": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "start": {"type": "string", "pattern": "^[0-9]+(:[0-9]{2}){1,2}$"},
                    "title": {"type": "string", "minLength": 1},
                },
                "required": ["start", "title"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["title", "description", "keywords", "names", "chapters"],
    "additionalProperties": False,
}
# The model needs to know the time, but not of every breath.
MARK_EVERY_MS: Final = 15_000

DESCRIPTION = Description(
    name="synops-analyze",
    version="0.1.0",
    description={
        "nb": "Foreslår tittel, beskrivelse, stikkord, navn og kapitler fra en transkripsjon.",
        "en": "Suggests title, description, keywords, names and chapters from a transcript.",
    },
    job_types=("openrouter_analyze",),
    aliases={
        "nb": ("analyser", "hent ut metadata", "foreslå tittel", "lag kapitler", "finn stikkord"),
        "nn": ("analyser", "hent ut metadata", "foreslå tittel", "lag kapittel", "finn stikkord"),
        "en": ("analyse", "analyze", "extract metadata", "suggest a title", "make chapters"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.communication_id", "event.node_id", "event.target_id"),
            hints={
                "nb": ("innspilling", "opptak", "samtale", "møte", "intervju", "episode", "artikkel", "tekst"),
                "nn": ("innspeling", "opptak", "samtale", "møte", "intervju", "episode", "artikkel", "tekst"),
                "en": ("the recording", "the conversation", "the interview", "the episode", "the text"),
            },
            description={
                "nb": "Samtalen eller teksten som skal beskrives.",
                "en": "The conversation or text to describe.",
            },
        ),
        ENGINE_PARAM,
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={
        "title": "string",
        "description": "text",
        "keywords": "list",
        "names": "list",
        "chapters": "list",
        **OUTPUTS,
    },
    database="write",
    settings=SETTINGS,
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-analyze --node-id=0190f5a6-0000-7000-8000-000000000001",
        "synops-analyze --node-id=0190f5a6-0000-7000-8000-000000000001 --engine=llm --intelligence=1 --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Read, describe, and under `--write` keep it as suggestions in the node's metadata: the title stays a person's."""
    from synops.tools.database import reading
    from synops.tools.engines import chosen_model
    from synops.tools.subject import read_subject

    place = chosen_model(call)
    with reading(call) as cur:
        subject = read_subject(call, cur, call.uuid("node_id"))
    if not subject.text:
        return {"skipped": "no text and no speech in it"}
    found = _by_model(call, subject, place) if place else _by_rules(subject)
    if call.write:
        _store(call, subject, found)
    return found


def _by_rules(subject: Subject) -> dict[str, Any]:
    from synops.tools.analysis import analyse, chapters
    from synops.tools.engines import by_rules

    found = analyse(subject.text, subject.language, subject.names)
    segments = subject.recordings[0].segments if subject.recordings else ()
    return {**found, "chapters": chapters(segments, subject.language), **by_rules(subject.language)}


def _by_model(call: Call, subject: Subject, place: Endpoint) -> dict[str, Any]:
    from synops.tools.engines import brief, by_model, material
    from synops.tools.model import data

    hint = f"\nNames that are known here: {', '.join(subject.names)}." if subject.names else ""
    talk = [brief(TASK + hint, subject.language, subject.prompt("analyze")), material(_marked(subject))]
    end = max((segment.end_ms for one in subject.recordings[:1] for segment in one.segments), default=0)

    def check(value: Any) -> list[str]:
        late = [one["start"] for one in value["chapters"] if _milliseconds(one["start"]) > end]
        return [f"chapters start at {', '.join(late)}, after the end of the recording"] if late else []

    answer = data(
        call, place, talk, SCHEMA, tier=call.payload["intelligence"], model=call.payload["model"] or "", check=check
    )
    said = answer.value
    chapters = [{"start_ms": _milliseconds(one["start"]), "title": one["title"]} for one in said["chapters"]]
    # A name that nobody said is the model's own; the transcript is the measure.
    names = [name for name in said["names"] if name.casefold() in subject.text.casefold()]
    sorted_chapters = sorted(chapters, key=lambda one: one["start_ms"])
    return {
        **said,
        "names": names,
        "chapters": sorted_chapters,
        **by_model(answer.model, subject.language, answer.usage),
    }


def _marked(subject: Subject) -> str:
    """The transcript with marks of time, or the text as it is."""
    if not subject.recordings:
        return subject.text
    parts, marked = [subject.node.content], -MARK_EVERY_MS
    for segment in subject.recordings[0].segments:
        if segment.start_ms - marked >= MARK_EVERY_MS:
            marked = segment.start_ms
            minutes, seconds = divmod(segment.start_ms // 1000, 60)
            parts.append(f"\n[{minutes}:{seconds:02}]")
        parts.append(segment.text)
    others = [" ".join(segment.text for segment in one.segments) for one in subject.recordings[1:]]
    return " ".join([*parts, *others]).strip()


def _milliseconds(clock: str) -> int:
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds * 1000


def _store(call: Call, subject: Subject, found: dict[str, Any]) -> None:
    from synops.store.nodes import update_node
    from synops.tools.database import writing

    # What it cost belongs to the job's result; the node would change with every run.
    kept = {key: value for key, value in found.items() if key != "usage"}
    with writing(call) as cur:
        update_node(cur, subject.node.id, metadata={"analysis": kept})


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
