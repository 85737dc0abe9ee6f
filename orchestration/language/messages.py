"""The catalogue of codes and sentences, and the one place where a diagnostic becomes text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from orchestration.language.diagnostics import Args, Diagnostic, Note, Suggestion

_PATH = Path(__file__).with_name("messages.toml")
_PLACE = re.compile(r"\{([a-z_]+)\}")
SHOWN = ("nb", "en")
"""Languages of messages; nynorsk recipes get bokmål messages."""


@dataclass(frozen=True, slots=True)
class Code:
    code: str
    slug: str
    severity: str
    message: Mapping[str, str]
    help: Mapping[str, str]
    before: str
    after: str
    origin: str
    """"" when a small text shows it; else size, data, store or run (see the catalogue's first lines)."""
    retired: bool


@cache
def _catalogue() -> dict[str, Any]:
    return tomllib.loads(_PATH.read_text(encoding="utf-8"))


@cache
def codes() -> dict[str, Code]:
    """Every code by name, retired ones too."""
    return {name: _code(name, item) for name, item in _catalogue().items() if name != "texts"}


def _code(name: str, item: Mapping[str, Any]) -> Code:
    return Code(
        code=name,
        slug=item["slug"],
        severity=item["severity"],
        message={language: item[language] for language in SHOWN},
        help={language: item[f"help_{language}"] for language in SHOWN},
        before=item.get("before", ""),
        after=item.get("after", ""),
        origin=item.get("from", ""),
        retired=item.get("retired", False),
    )


@cache
def severities() -> dict[str, str]:
    return {name: code.severity for name, code in codes().items()}


def shown(language: str) -> str:
    """The language that messages for readers of `language` have."""
    return "en" if language == "en" else "nb"


def fill(template: str, args: Args) -> str:
    """Put `args` in their places in one pass: an argument that looks like a place is left alone."""
    return _PLACE.sub(lambda match: _said(args, match), template)


def _said(args: Args, match: re.Match[str]) -> str:
    value = args.get(match.group(1), match.group())
    return value if isinstance(value, str) else ", ".join(value)


def text(key: str, language: str, **args: Sequence[str]) -> str:
    """A sentence of [texts]."""
    template: str = _catalogue()["texts"][key][shown(language)]
    return fill(template, args)


def message(diagnostic: Diagnostic, language: str) -> str:
    return fill(codes()[diagnostic.code].message[shown(language)], diagnostic.args)


def help_text(diagnostic: Diagnostic, language: str) -> str:
    return fill(codes()[diagnostic.code].help[shown(language)], diagnostic.args)


def sentence(code: str, language: str, **args: str) -> str:
    """What a code that no text gives (of an edge, of a run) says, with what to do and where to read on."""
    found = codes()[code]
    said, way_out = (fill(texts[shown(language)], args) for texts in (found.message, found.help))
    return f"{said[:1].upper()}{said[1:]}: {way_out} ({code})."


def suggestion_text(suggestion: Suggestion, language: str) -> str:
    return text(suggestion.label, language, show=suggestion.show)


def note_text(note: Note, language: str) -> str:
    return text(note.key, language, **note.args)
