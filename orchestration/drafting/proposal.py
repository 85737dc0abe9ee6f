"""What drafting hands to a person: a script, what the compiler says of it, and what is missing for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from orchestration.language import (
    Compilation,
    Diagnostic,
    Vocabulary,
    compile_recipe,
    diagnostics_to_json,
    print_human,
    print_technical,
)
from orchestration.reports import shown_language

MODEL, VOCABULARY = "model", "vocabulary"
"""How a draft came about, as codes."""

NO_VERB, NO_TOOL = "ORK-301", "ORK-701"


@dataclass(frozen=True)
class Missing:
    """Something that no tool does: the words for it, the line of the script, and the name of the tool it would take."""

    phrase: str
    line: int
    tool: str = ""


@dataclass(frozen=True)
class Check:
    """One of the three checks of a draft: `tools`, `variables` or `syntax`; `problems` are sentences."""

    name: str
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems


@dataclass(frozen=True)
class Proposal:
    """A draft. `text` is what is saved when a person keeps it; `technical` is empty while it does not compile.

    `failure` says why there is no model's draft where one was asked for, `advice` what to set to get one.
    """

    text: str
    technical: str
    by: str
    checks: tuple[Check, ...]
    missing: tuple[Missing, ...]
    record: Mapping[str, Any]
    """The whole record of the compilation, as the editor gets it."""
    model: str = ""
    rounds: int = 0
    usage: Mapping[str, Any] = field(default_factory=dict)
    not_understood: tuple[str, ...] = ()
    failure: str = ""
    advice: str = ""

    @property
    def compiles(self) -> bool:
        return bool(self.technical)

    def to_json(self) -> dict[str, Any]:
        """For the editor and the API."""
        return {
            "text": self.text,
            "technical": self.technical,
            "compiles": self.compiles,
            "by": self.by,
            "model": self.model,
            "rounds": self.rounds,
            "usage": dict(self.usage),
            "checks": [{"name": one.name, "ok": one.ok, "problems": list(one.problems)} for one in self.checks],
            "missing": [{"phrase": one.phrase, "line": one.line, "tool": one.tool} for one in self.missing],
            "not_understood": list(self.not_understood),
            "failure": self.failure,
            "advice": self.advice,
            "diagnostics": self.record["diagnostics"],
        }


def propose(script: str, words: Vocabulary, language: str, by: str, **told: Any) -> Proposal:
    """Check a script and make a proposal of it. `told` are the remaining fields of a Proposal.

    One that compiles is shown in the language of people; any other as it was written, with its missing tools marked.
    """
    compilation = compile_recipe(script, words)
    missing = missing_tools(compilation)
    text = print_human(compilation.plan, words, language) if compilation.plan else marked(script, missing)
    shown = compile_recipe(text, words)
    return Proposal(
        text=text,
        technical=print_technical(shown.plan, words) if shown.plan else "",
        by=by,
        checks=checks(shown, language),
        missing=missing_tools(shown),
        record=diagnostics_to_json(shown, shown_language(language)),
        **told,
    )


def checks(compilation: Compilation, language: str) -> tuple[Check, ...]:
    """The three questions that a person is shown the answers to: tools, variables, syntax."""
    found: dict[str, list[str]] = {"tools": [], "variables": [], "syntax": []}
    records = diagnostics_to_json(compilation, shown_language(language))["diagnostics"]
    for record in records:
        if record["severity"] == "error":
            found[_question(record["code"])].append(record["message"])
    return tuple(Check(name, tuple(problems)) for name, problems in found.items())


def _question(code: str) -> str:
    if code in (NO_VERB, NO_TOOL):
        return "tools"
    return "variables" if code.startswith("ORK-5") else "syntax"


def missing_tools(compilation: Compilation) -> tuple[Missing, ...]:
    """The lines that ask for something which no tool does."""
    return tuple(_missing(item, compilation) for item in compilation.errors if item.code in (NO_VERB, NO_TOOL))


def _missing(item: Diagnostic, compilation: Compilation) -> Missing:
    tool = str(item.args.get("tool", "")) if item.code == NO_TOOL else ""
    said = next((line.text for line in compilation.lines if line.line == item.span.line), "")
    return Missing(tool or said or compilation.source.slice(item.span), item.span.line, tool)


def marked(script: str, missing: Sequence[Missing]) -> str:
    """The script with a comment above each line whose tool is missing: what a partial script is saved as."""
    lines = script.strip("\n").split("\n")
    for one in sorted(missing, key=lambda one: -one.line):
        if 0 < one.line <= len(lines):
            indent = re.match(r"\s*", lines[one.line - 1])
            note = _("# missing: %(what)s") % {"what": one.phrase}
            if note not in lines[: one.line - 1]:
                lines.insert(one.line - 1, (indent.group() if indent else "") + note)
    return "\n".join(lines) + "\n"
