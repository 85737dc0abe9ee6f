"""synops-ai: texts cleaned, summarised, rewritten, or mined for facts; dictations made into notes; presets applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synops.llm.names import SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import ENGINE_PARAM, MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.llm.endpoint import Endpoint
    from synops.store.presets import Preset
    from synops.tools.call import Call
    from synops.tools.subject import Subject

BY_RULES: Final = ("summarize", "extract_facts", "clean")
TITLES: Final = {
    "clean": {"nb": "Renset: {}", "nn": "Reinsa: {}", "en": "Cleaned: {}"},
    "summarize": {"nb": "Sammendrag: {}", "nn": "Samandrag: {}", "en": "Summary: {}"},
    "extract_facts": {"nb": "Fakta: {}", "nn": "Fakta: {}", "en": "Facts: {}"},
    "rewrite": {"nb": "Omskrevet: {}", "nn": "Omskriven: {}", "en": "Rewritten: {}"},
    "dictation": {"nb": "Notat: {}", "nn": "Notat: {}", "en": "Note: {}"},
    "preset": {"nb": "{}", "nn": "{}", "en": "{}"},
}

DESCRIPTION = Description(
    name="synops-ai",
    version="0.1.0",
    description={
        "nb": "Renser, oppsummerer, skriver om eller trekker fakta ut av en tekst, og gjør diktater til notater.",
        "en": "Cleans, summarises or rewrites a text, extracts its facts, and makes notes of dictations.",
    },
    job_types=("ai_text_process", "dictation_cleanup", "ai_process"),
    job_type_by={"param": "task", "values": {"dictation": "dictation_cleanup", "preset": "ai_process"}},
    aliases={
        "nb": (
            "rens tekst", "skriv om", "trekk ut fakta", "oppsummer tekst", "oppsummer artikkel", "rydd diktat",
        ),
        "nn": ("reins tekst", "skriv om", "trekk ut fakta", "oppsummer tekst", "rydd diktat"),
        "en": ("clean text", "rewrite", "extract facts", "summarise text", "tidy dictation"),
    },
    params=(
        Param(
            name="task",
            type="string",
            required=True,
            enum={
                "clean": {"nb": ("rens tekst",), "nn": ("reins tekst",), "en": ("clean text",)},
                "summarize": {
                    "nb": ("oppsummer tekst", "oppsummer artikkel"),
                    "nn": ("oppsummer tekst",),
                    "en": ("summarise text",),
                },
                "extract_facts": {"nb": ("trekk ut fakta",), "nn": ("trekk ut fakta",), "en": ("extract facts",)},
                "rewrite": {"nb": ("skriv om",), "nn": ("skriv om",), "en": ("rewrite",)},
                "dictation": {"nb": ("rydd diktat",), "nn": ("rydd diktat",), "en": ("tidy dictation",)},
                "preset": {},
            },
            description={
                "nb": "Hva som skal gjøres; preset = det forhåndsvalget sier.",
                "en": "What to do; preset = what the preset says.",
            },
        ),
        Param(
            name="node_id",
            type="uuid",
            bind=("event.node_id", "event.communication_id", "event.target_id"),
            hints={
                "nb": ("node", "artikkel", "sak", "tekst", "notat", "innspilling", "opptak"),
                "nn": ("node", "artikkel", "sak", "tekst", "notat", "innspeling", "opptak"),
                "en": ("the node", "the article", "the story", "the text", "the note", "the recording"),
            },
            description={"nb": "Noden med teksten.", "en": "The node with the text."},
        ),
        Param(
            name="text",
            type="text",
            description={"nb": "Teksten selv, i stedet for en node.", "en": "The text itself, instead of a node."},
        ),
        Param(
            name="preset",
            type="string",
            description={
                "nb": "Et forhåndsvalg: navn, nøkkel eller id.",
                "en": "A preset: its title, key or id.",
            },
        ),
        Param(
            name="instruction",
            type="text",
            slot={"kind": "text"},
            hints={"nb": ("ønske",), "nn": ("ønske",), "en": ("wish",)},
            description={"nb": "Ønsker til språkmodellen.", "en": "Wishes for the language model."},
        ),
        Param(
            name="language",
            type="string",
            enum={
                "nb": {"nb": ("på bokmål",), "nn": ("på bokmål",), "en": ("in norwegian",)},
                "nn": {"nb": ("på nynorsk",), "nn": ("på nynorsk",), "en": ("in nynorsk",)},
                "en": {"nb": ("på engelsk",), "nn": ("på engelsk",), "en": ("in english",)},
            },
            description={"nb": "Språket det skrives på; ellers tekstens.", "en": "The language to write in; else the text's."},
        ),
        ENGINE_PARAM,
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={"text": "text", "task": "string", "facts": "list", "preset": "string", "node_id": "uuid", **OUTPUTS},
    database="write",
    settings=SETTINGS,
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-ai --task=extract_facts --node-id=0190f5a6-0000-7000-8000-000000000001",
        'synops-ai --task=clean --text="eh vi skal skal bygge en skole"',
        'synops-ai --task=rewrite --node-id=0190f5a6-0000-7000-8000-000000000001 --instruction="for barn" --write',
    ),
)  # fmt: skip


class Source(NamedTuple):
    """What to work on: a node's text, or a text alone. `title` names what is made of it."""

    text: str
    language: str
    title: str
    subject: Subject | None


def work(call: Call) -> dict[str, Any]:
    """Read text and preset, do the task, and under `--write` keep what is made of a node as a node of its own."""
    from synops.tools.engines import chosen_model

    place = chosen_model(call)
    source, preset = _read(call)
    if not source.text.strip():
        return {"skipped": "no text and no speech in it"}
    made = _by_model(call, source, preset, place) if place else _by_rules(call, source, preset)
    result = {"task": call.payload["task"], "preset": preset.title if preset else None, **made}
    stored = _store(call, source.subject, preset, result) if call.write and source.subject else None
    return {**result, "node_id": stored}


def _read(call: Call) -> tuple[Source, Preset | None]:
    from synops.store.presets import UnknownPreset, find_preset
    from synops.tools.database import reading
    from synops.tools.failures import BadUsage, NoInput
    from synops.tools.subject import bounded, read_subject

    payload = call.payload
    if bool(payload["node_id"]) == bool(payload["text"]):
        raise BadUsage("give either --node-id or --text")
    if payload["task"] == "preset" and not payload["preset"]:
        raise BadUsage("--task=preset needs --preset")
    preset = subject = None
    if payload["node_id"] or payload["preset"]:
        with reading(call) as cur:
            subject = read_subject(call, cur, call.uuid("node_id")) if payload["node_id"] else None
            try:
                preset = find_preset(cur, payload["preset"], call.collection_id) if payload["preset"] else None
            except UnknownPreset as error:
                raise NoInput(str(error)) from error
    if subject:
        return Source(subject.text, payload["language"] or subject.language, subject.node.title, subject), preset
    return Source(bounded(payload["text"], "the text"), payload["language"] or "nb", "", None), preset


def _by_rules(call: Call, source: Source, preset: Preset | None) -> dict[str, Any]:
    from synops.tools.analysis import shortened
    from synops.tools.cleanup import as_list, cleaned, facts
    from synops.tools.engines import by_rules
    from synops.tools.extractive import choose, split_sentences
    from synops.tools.failures import NotConfigured

    task = preset.task if call.payload["task"] == "preset" and preset else call.payload["task"]
    made: dict[str, Any] = by_rules(source.language)
    if task in ("clean", "dictation"):
        text = cleaned(source.text)
        title = shortened(split_sentences(text)[0]) if text and task == "dictation" else ""
        return {**made, "text": text, **({"title": title} if title else {})}
    if task == "summarize":
        sentences = split_sentences(" ".join(source.text.split()))
        chosen = choose(sentences, min(5, max(1, len(sentences) // 2)), source.language)
        return {**made, "text": " ".join(sentences[at] for at in chosen), "sources": chosen}
    if task == "extract_facts":
        found = facts(source.text, source.language, source.subject.names if source.subject else ())
        return {**made, "text": as_list(found), "facts": found}
    raise NotConfigured(
        f'task "{task or call.payload["task"]}" needs a language model (SYNOPS_LLM_BASE_URL is not set). Offline, this tool '
        f"supports: {', '.join(BY_RULES)}. Nothing was written."
    )


def _by_model(call: Call, source: Source, preset: Preset | None, place: Endpoint) -> dict[str, Any]:
    from synops.tools.ai_prompts import NOTE_SCHEMA, instruction
    from synops.tools.engines import brief, by_model, material
    from synops.tools.model import answer, data

    own = source.subject.prompt(call.payload["task"]) if source.subject else ""
    wish = call.payload["instruction"] or ""
    task = instruction(call.payload["task"], preset.instruction if preset else own, wish)
    talk = [brief(task, source.language), material(source.text)]
    tier = (preset.tier if preset else None) or call.payload["intelligence"]
    model = call.payload["model"] or ""
    if call.payload["task"] == "dictation":
        note = data(call, place, talk, NOTE_SCHEMA, tier=tier, model=model)
        return {**note.value, **by_model(note.model, source.language, note.usage)}
    said = answer(call, place, talk, tier=tier, model=model)
    return {"text": said.text.strip(), **by_model(said.model, source.language, said.usage)}


def _store(call: Call, subject: Subject, preset: Preset | None, result: dict[str, Any]) -> str:
    """One node for each text and task, which a later run replaces. The text that it was made of stays as it is."""
    from uuid import uuid5

    from synops.store.edges import Edge, insert_edge
    from synops.store.identities import NAMESPACE
    from synops.store.nodes import Node, upsert_node
    from synops.tools.database import writing

    task = call.payload["task"]
    key = uuid5(NAMESPACE, f"ai:{task}:{preset.id if preset else ''}:{subject.node.id}")
    titles = TITLES[task]
    title = result.get("title") or titles.get(result["language"], titles["nb"]).format(subject.node.title)
    kept = {name: result[name] for name in ("task", "preset", "engine", "model", "quality", "language")}
    kind = "note" if task == "dictation" else "content"
    node = Node(key, kind, title, result["text"], {**kept, "made_of": str(subject.node.id)})
    with writing(call) as cur:
        upsert_node(cur, node)
        insert_edge(cur, Edge(key, "derived_from", subject.node.id))
        for collection in subject.collections:
            insert_edge(cur, Edge(key, "belongs_to", collection))
    return str(key)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
