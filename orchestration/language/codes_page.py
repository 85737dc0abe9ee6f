"""The page of codes, made from the catalogue: what each code means, and a recipe before and after."""

from __future__ import annotations

from orchestration.language.messages import Code, codes

_ORIGINS = {
    "size": "Given for texts beyond the limits: 64 KiB, 200 lines, 500 characters a line, 50 steps.",
    "data": "Given when the words of two tools, or of two events, collide; the check of the vocabulary refuses such words.",
    "tool": "Given when a tool has changed its verbs, or was turned off or removed.",
    "check": "Given by `compile_orchestration --check` for a recipe in the database.",
    "edge": "Given when an edge between recipes is drawn.",
    "run": "Given while a recipe runs.",
}
_TOP = """\
# Codes of the recipe compiler

Made from `orchestration/language/messages.toml` by `python -m tests.orchestration.language.golden --bless`; do not edit.
A code keeps its meaning for ever and is never used again for another. `manage.py compile_orchestration --explain CODE`
prints one. The tests compile every example: *before* gives its code, *after* gives nothing.
"""


def page() -> str:
    """The whole page in Markdown."""
    return "\n".join([_TOP, *(_entry(code) for code in codes().values())])


def _entry(code: Code) -> str:
    state = ", retired" if code.retired else ""
    parts = [f"## {code.code} {code.slug}", "", f"*{code.severity}{state}*", ""]
    parts += [
        f"- {language}: {_safe(code.message[language])}. {_sentence(_safe(code.help[language]))}"
        for language in ("nb", "en")
    ]
    if code.before:
        parts += ["", "Before:", "", _fenced(code.before), "", "After:", "", _fenced(code.after)]
    else:
        parts += ["", _ORIGINS[code.origin]]
    return "\n".join(parts) + "\n"


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:] + "."


def _safe(said: str) -> str:
    return said.replace("*", "\\*").replace("_", "\\_")


def _fenced(recipe: str) -> str:
    return f"```\n{visible(recipe.rstrip())}\n```"


def visible(recipe: str) -> str:
    """Invisible characters as their names."""
    return "".join(
        character if character == "\n" or character.isprintable() else f"\u27e8U+{ord(character):04X}\u27e9"
        for character in recipe
    )
