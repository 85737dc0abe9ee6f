"""A compilation as JSON for editors, services and the drafting loop."""

from __future__ import annotations

from typing import Any

from orchestration.language.compile import Compilation
from orchestration.language.diagnostics import Diagnostic, Edit, Note, Suggestion
from orchestration.language.messages import codes, help_text, message, note_text, suggestion_text
from orchestration.language.plan import to_json
from orchestration.language.source import Source, Span

SCHEMA = 1
COMPILER = "1.0"


def diagnostics_to_json(compilation: Compilation, lang: str = "nb", compiled: Any = None) -> dict[str, Any]:
    """The whole record. `line` and `col` count from 1 in code points, `col16` from 0 in UTF-16 units.

    Args:
        compiled: what to give as the compiled form; by default the plan's JSON, null when there are errors.
    """
    if compiled is None and compilation.plan is not None:
        compiled = to_json(compilation.plan)
    return {
        "schema": SCHEMA,
        "ok": not compilation.errors,
        "compiler": COMPILER,
        "lexicon_hash": compilation.lexicon_hash,
        "layer": compilation.layer,
        "diagnostics": [_diagnostic(item, compilation.source, lang) for item in compilation.diagnostics],
        "more": compilation.more,
        "lines": [
            {
                "line": line.line,
                "status": line.status,
                "step": line.step,
                "text": line.text,
                "compiled": line.compiled or None,
                "chosen": line.chosen or None,
            }
            for line in compilation.lines
        ],
        "compiled": compiled,
    }


def range_to_json(span: Span, source: Source) -> dict[str, Any]:
    return {"start": _place(span.line, span.start, source), "end": _place(span.line, span.end, source)}


def _place(line: int, column: int, source: Source) -> dict[str, int]:
    return {"line": line, "col": column + 1, "col16": source.utf16(line, column)}


def _diagnostic(item: Diagnostic, source: Source, lang: str) -> dict[str, Any]:
    return {
        "code": item.code,
        "slug": codes()[item.code].slug,
        "severity": item.severity,
        "message": message(item, lang),
        "help": help_text(item, lang),
        "range": range_to_json(item.span, source),
        "labels": [_label(note, note.span, source, lang) for note in item.notes if note.span is not None],
        "notes": [note_text(note, lang) for note in item.notes if note.span is None],
        "args": {name: value if isinstance(value, str) else list(value) for name, value in item.args.items()},
        "suggestions": [_suggestion(suggestion, source, lang) for suggestion in item.suggestions],
        "url": f"/admin/ork/feil/{item.code}",
    }


def _label(note: Note, span: Span, source: Source, lang: str) -> dict[str, Any]:
    return {"range": range_to_json(span, source), "text": note_text(note, lang)}


def _suggestion(item: Suggestion, source: Source, lang: str) -> dict[str, Any]:
    return {
        "label": suggestion_text(item, lang),
        "applicability": item.applicability,
        "edits": [_edit(edit, source) for edit in item.edits],
    }


def _edit(edit: Edit, source: Source) -> dict[str, Any]:
    return {"range": range_to_json(edit.span, source), "text": edit.text}
