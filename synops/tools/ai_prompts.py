"""What synops-ai says to a model, by task."""

from __future__ import annotations

from typing import Final

INSTRUCTIONS: Final = {
    "clean": (
        "Correct the text: spelling, punctuation, filler words and repetitions. Keep its meaning, order, names and figures. "
        "Answer with the text alone."
    ),
    "summarize": "Summarise the text in three to five sentences for somebody who has not read it. Answer with the summary alone.",
    "extract_facts": "List the facts in the text: who, what, when, where and how much. One on each line, after a hyphen.",
    "rewrite": "Rewrite the text so that it is clear and easy to read, with the same content. Answer with the text alone.",
    "dictation": (
        "The text was dictated. Make a note of it: title (at most 80 characters), and text in Markdown with paragraphs, a list "
        "where things were listed, and tasks as '- [ ]' lines. Leave out hesitations and corrections of oneself; add nothing."
    ),
    "preset": "Do what is asked.",
}
NOTE_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 200},
        "text": {"type": "string", "minLength": 1},
    },
    "required": ["title", "text"],
    "additionalProperties": False,
}


def instruction(task: str, own: str, wish: str) -> str:
    """The preset's or the collection's own instruction, else the task's, with what the caller wishes."""
    base = own.strip() or INSTRUCTIONS[task]
    return f"{base}\nBesides: {wish.strip()}" if wish.strip() else base
