"""One recipe through the compiler as a command shows it: a box, a record, annotations, another form of the text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestration.language.box import render_box
from orchestration.language.compile import Compilation, compile_recipe
from orchestration.language.diagnostics import Diagnostic
from orchestration.language.fixes import apply, machine_edits
from orchestration.language.messages import codes, help_text, message, shown, text
from orchestration.language.plan import Plan, to_json
from orchestration.language.print_human import print_human
from orchestration.language.print_technical import print_technical
from orchestration.language.records import diagnostics_to_json
from orchestration.language.stored import checked
from orchestration.language.vocabulary import Vocabulary

FORMS = ("human", "technical", "json")
FORMATS = ("text", "json", "github")
CLEAN, WRONG, USAGE = 0, 1, 2
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of every recipe of one command."""

    to: str = ""
    layer: str = "auto"
    lang: str = "nb"
    format: str = "text"
    check: bool = False
    deny_warnings: bool = False
    colour: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """`out` is for stdout, `err` for stderr."""

    out: str
    err: str
    status: int


def answer(
    name: str, source: str, vocabulary: Vocabulary, wish: Wish, stored: Mapping[str, Any] | None = None
) -> Answer:
    """Compile one recipe and show it.

    Args:
        name: the file or node, for annotations and records.
        stored: the metadata of the recipe's node; `check` holds it against what the text compiles to now.
    """
    compilation = compile_recipe(source, vocabulary, layer=wish.layer)
    if wish.check and stored is not None:
        compilation = checked(compilation, stored)
    printed = printed_as(compilation.plan, vocabulary, wish.to, wish.lang) if compilation.plan else None
    stale = wish.check and _differs(source, compilation, printed, wish, stored)
    wrong = bool(compilation.errors) or stale or (wish.deny_warnings and bool(compilation.warnings))
    status = WRONG if wrong else CLEAN
    note = f"{name}: {text('stale', wish.lang)}\n" if stale else ""
    if wish.format == "json":
        record = diagnostics_to_json(compilation, wish.lang, printed if wish.to in ("human", "technical") else None)
        return Answer(json.dumps({"file": name, **record}, ensure_ascii=False) + "\n", note, status)
    if wish.format == "github":
        return Answer(workflow_commands(name, compilation, wish.lang), note, status)
    return _shown(compilation, printed, wish, note, status)


def _shown(compilation: Compilation, printed: str | None, wish: Wish, note: str, status: int) -> Answer:
    """The wished form on stdout and the box on stderr when it has something to say; without a form just the box."""
    if not wish.to and not wish.check:
        return Answer(render_box(compilation, wish.lang, colour=wish.colour), note, status)
    box = render_box(compilation, wish.lang, colour=wish.colour) if compilation.diagnostics else ""
    return Answer("" if wish.check else printed or "", box + note, status)


def printed_as(plan: Plan, vocabulary: Vocabulary, form: str, lang: str = "nb") -> str:
    """The plan in one of FORMS, ending in a newline; JSON when no form is named."""
    if form == "human":
        return print_human(plan, vocabulary, lang)
    if form == "technical":
        return print_technical(plan, vocabulary)
    return json.dumps(to_json(plan), ensure_ascii=False, indent=2) + "\n"


def _differs(
    source: str, compilation: Compilation, printed: str | None, wish: Wish, stored: Mapping[str, Any] | None
) -> bool:
    """Whether what is kept is another than what the text gives now; a file is compared with its own canonical form."""
    if stored is not None:
        return compilation.plan is None or to_json(compilation.plan) != stored.get("compiled")
    return wish.to in ("human", "technical") and printed is not None and printed != source


def fixed(source: str, vocabulary: Vocabulary, layer: str = "auto") -> str:
    """The text with every fix made that needs no person, again until nothing changes."""
    for _ in range(_ROUNDS):
        edits = machine_edits(compile_recipe(source, vocabulary, layer=layer))
        if not edits:
            break
        source = apply(source, edits)
    return source


def workflow_commands(name: str, compilation: Compilation, lang: str) -> str:
    """GitHub workflow commands, one a diagnostic."""
    return "".join(_annotation(name, item, lang) for item in compilation.diagnostics)


def _annotation(name: str, item: Diagnostic, lang: str) -> str:
    level = {"error": "error", "warning": "warning"}.get(item.severity, "notice")
    place = f"file={_property(name)},line={item.span.line},col={item.span.start + 1},endColumn={item.span.end + 1}"
    said = (
        f"{message(item, lang)}\n{help_text(item, lang)}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    )
    return f"::{level} {place},title={item.code} {codes()[item.code].slug}::{said}\n"


def _property(said: str) -> str:
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C")):
        said = said.replace(character, escape)
    return said


def explanation(code: str, lang: str) -> str | None:
    """The page of one code as text; None for an unknown one. "301" and "ork-301" are found too."""
    name = code.upper() if code.upper().startswith("ORK-") else f"ORK-{code}"
    found = codes().get(name)
    if found is None:
        return None
    language = shown(lang)
    parts = [f"{found.code} {found.slug} ({text(found.severity, lang).lower()})", "", found.message[language]]
    parts += [f"{text('help', lang)}: {found.help[language]}"]
    if found.before:
        parts += [
            "",
            f"{text('before', lang)}:",
            _indented(found.before),
            f"{text('after', lang)}:",
            _indented(found.after),
        ]
    return "\n".join(parts) + "\n"


def _indented(said: str) -> str:
    return "\n".join(f"    {line}" for line in said.rstrip().splitlines())
