"""The bridge to the language: text in, what a recipe's node keeps of a compilation out."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any

from orchestration.language import Compilation, Plan, Vocabulary, compile_recipe, diagnostics_to_json, to_json
from orchestration.language.stored import trigger_json
from orchestration.reports import shown_language
from orchestration.vocabulary import database_vocabulary
from synops.store.sanitise import clean_text

LANGUAGES = ("nb", "nn", "en")
# A guess from the first keyword, which is all that tells nynorsk from bokmål in most recipes.
_ENGLISH = re.compile(r"^\s*(when|whenever)\b", re.IGNORECASE | re.MULTILINE)
_NYNORSK = re.compile(r"\b(viss|oppgåve|ikkje|samandrag|frå|køyr\w*|innspeling\w*|kopling\w*)\b", re.IGNORECASE)
"""Only what no one writes in bokmål: "lydfila" and "samlinga" are both."""


def tidy(text: str) -> str:
    """The text as it is stored: one kind of line end, composed letters, no byte order mark, nothing unstorable."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return clean_text(unicodedata.normalize("NFC", lines))


def digest(text: str) -> str:
    """Tells whether a node's text is the one that was compiled; the database computes the same (edited_recipes.sql)."""
    return hashlib.sha256(text.encode()).hexdigest()


def language_of(text: str, default: str = "nb") -> str:
    """nb, nn or en."""
    if _ENGLISH.search(text):
        return "en"
    return "nn" if _NYNORSK.search(text) else default


def check(text: str, *, layer: str = "auto", language: str = "nb") -> dict[str, Any]:
    """The whole record of a compilation, as the editor and services get it. Saves nothing."""
    return diagnostics_to_json(compile_recipe(text, database_vocabulary(), layer=layer), shown_language(language))


def compiled_keys(compilation: Compilation, text: str, language: str) -> dict[str, Any]:
    """The derived part of a recipe's metadata. A key that is None is removed from the node."""
    plan = compilation.plan
    return {
        "compiled": to_json(plan) if plan else None,
        "trigger": trigger_json(plan) if plan else None,
        "diagnostics": diagnostics_to_json(compilation, shown_language(language))["diagnostics"],
        "lexicon_hash": compilation.lexicon_hash,
        "source_hash": digest(text),
        "source_layer": compilation.layer,
    }


def meaning(plan: Plan) -> str:
    """Equal for two plans that do the same, whatever their words and the vocabulary's other entries."""
    document = to_json(plan.meaning()) | {"lexicon_hash": ""}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def vocabulary() -> Vocabulary:
    """The words of the installed tools."""
    return database_vocabulary()
