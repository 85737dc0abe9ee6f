"""The recipe language: text that people write → a plan that the machine runs, and back.

Pure: no Django, no database, no clock, no network. The way in is `compile_recipe`; the vocabulary comes from the
tools' own descriptions (`Vocabulary.from_tools`). Text of either layer compiles to one `Plan`; `print_human`,
`print_technical` and `to_json` print it. What is wrong with a text is data (`Diagnostic`), made readable by
`render_box` and `diagnostics_to_json`.
"""

from __future__ import annotations

from orchestration.language.box import render_box
from orchestration.language.compile import Compilation, Line, compile_recipe
from orchestration.language.diagnostics import Diagnostic, Edit, Suggestion
from orchestration.language.plan import Plan, PlanStep, ToolCall, WorkItem, from_json, to_json
from orchestration.language.print_human import print_conditions, print_human
from orchestration.language.print_technical import command, print_technical
from orchestration.language.records import diagnostics_to_json
from orchestration.language.source import Span
from orchestration.language.vocabulary import Vocabulary

__all__ = [
    "Compilation",
    "Diagnostic",
    "Edit",
    "Line",
    "Plan",
    "PlanStep",
    "Span",
    "Suggestion",
    "ToolCall",
    "Vocabulary",
    "WorkItem",
    "command",
    "compile_recipe",
    "diagnostics_to_json",
    "from_json",
    "print_conditions",
    "print_human",
    "print_technical",
    "render_box",
    "to_json",
]
