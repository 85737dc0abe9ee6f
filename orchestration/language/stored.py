"""What a recipe's node keeps of its text, held against what the text says now."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from orchestration.language.compile import Compilation
from orchestration.language.diagnostics import Diagnostic
from orchestration.language.messages import severities
from orchestration.language.plan import Clause, Plan, to_json
from orchestration.language.source import Span

_START = Span(1, 0, 0)


def trigger_json(plan: Plan) -> dict[str, Any]:
    """The spec's structured trigger: conditions as one flat object where that says everything, else as the list."""
    document = to_json(plan)["trigger"]
    shown = {"event": document["event"], "conditions": _flat(plan.trigger.conditions) or document["conditions"]}
    return shown | ({"schedule": document["schedule"]} if document["schedule"] else {})


def _flat(clauses: tuple[Clause, ...]) -> dict[str, str] | None:
    single = [clause[0] for clause in clauses if len(clause) == 1 and not clause[0].negated]
    flat = {condition.predicate: condition.value for condition in single}
    return flat if clauses and len(flat) == len(clauses) else None


def checked(compilation: Compilation, stored: Mapping[str, Any]) -> Compilation:
    """The compilation with what is wrong about the node's own record of it.

    Args:
        stored: the node's metadata; its `compiled`, `trigger` and `lexicon_hash` are looked at where they are there.
    """
    found = tuple(_differences(compilation, stored))
    return replace(compilation, diagnostics=found + compilation.diagnostics) if found else compilation


def _differences(compilation: Compilation, stored: Mapping[str, Any]) -> Iterator[Diagnostic]:
    if stored.get("lexicon_hash") not in (None, compilation.lexicon_hash):
        yield _of_node("ORK-305")
    if compilation.plan is None or not stored.get("trigger"):
        return
    written = trigger_json(compilation.plan)
    if stored["trigger"] != written:
        yield _of_node("ORK-115", stored=_short(stored["trigger"]), written=_short(written))


def _of_node(code: str, **args: str) -> Diagnostic:
    return Diagnostic(code, severities()[code], _START, args)


def _short(trigger: Any) -> str:
    said = json.dumps(trigger, ensure_ascii=False, sort_keys=True)
    return said if len(said) <= 80 else f"{said[:79]}…"
