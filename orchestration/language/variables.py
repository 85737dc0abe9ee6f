"""Variables in braces: which exist at this place of this recipe."""

from __future__ import annotations

import re

from orchestration.language import packs
from orchestration.language.context import Context
from orchestration.language.diagnostics import MAYBE, Edit, Suggestion
from orchestration.language.source import Span
from orchestration.language.suggest import closest

NAMESPACES = ("event", "steps", "error", "input", "upstream", "run")
ERROR_FIELDS = ("step", "tool", "message", "exit_code")
RUN_FIELDS = ("id", "orchestration_id")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_FORM = re.compile(r"^\s*([a-z_]+)((?:\.[a-z0-9_]+)+)\s*$")
_SHORT = {"event.id": "event.communication_id", "event.coll_id": "event.collection_id"}


def check_text(text: str, place: Span, context: Context) -> bool:
    """Check every {…} in a text; `{{` and `}}` are plain braces. False when one is wrong."""
    right = True
    for match in _BRACES.finditer(text):
        if match.group() not in ("{{", "}}"):
            right &= check(match.group(), place, context)
    return right


def check(variable: str, place: Span, context: Context) -> bool:
    """Check one variable, braces included."""
    match = _FORM.match(variable[1:-1]) if variable.startswith("{") and variable.endswith("}") else None
    if match is None:
        context.reporter.report("ORK-505", place, {"phrase": variable})
        return False
    space, fields = match.group(1), match.group(2)[1:].split(".")
    if space not in NAMESPACES:
        fixes = _fixes(
            variable, place, [f"{name}.{'.'.join(fields)}" for name in closest(space, list(NAMESPACES))], context
        )
        context.reporter.report("ORK-502", place, {"variable": variable}, fixes)
        return False
    if space == "steps":
        return _check_step(variable, fields, place, context)
    return _check_fields(variable, space, fields, place, context)


def _check_fields(variable: str, space: str, fields: list[str], place: Span, context: Context) -> bool:
    allowed = _allowed(space, context)
    if allowed is None or fields[0] in allowed:
        return True
    name = f"{space}.{fields[0]}"
    near = [_SHORT[name]] if name in _SHORT else [f"{space}.{text}" for text in closest(fields[0], list(allowed))]
    event = context.trigger.event if context.trigger else ""
    args = {"variable": variable, "event": event, "allowed": tuple(f"{space}.{text}" for text in allowed)}
    context.reporter.report("ORK-501", place, args, _fixes(variable, place, near, context))
    return False


def _allowed(space: str, context: Context) -> tuple[str, ...] | None:
    """The fields of a namespace here; None when they are not known before the run."""
    if space == "event":
        return context.trigger.variables if context.trigger else None
    if space == "error":
        return ERROR_FIELDS if context.fallback else ()
    if space == "upstream":
        return None if context.trigger is None or context.trigger.event == "cascade" else ()
    if space == "input":
        return None if context.trigger is None or context.trigger.event in ("manual", "cascade") else ()
    return RUN_FIELDS


def _check_step(variable: str, fields: list[str], place: Span, context: Context) -> bool:
    if not fields[0].isdigit() or len(fields) < 2:
        context.reporter.report("ORK-505", place, {"phrase": variable})
        return False
    number = int(fields[0])
    if not 1 <= number < context.number:
        context.reporter.report("ORK-503", place, {"variable": variable})
        return False
    tool = context.earlier.get(number)
    if tool is None or not tool.outputs or fields[1] in tool.outputs:
        return True
    near = [f"steps.{number}.{text}" for text in closest(fields[1], list(tool.outputs))]
    args = {"variable": variable, "event": tool.name, "allowed": tuple(tool.outputs)}
    context.reporter.report("ORK-501", place, args, _fixes(variable, place, near, context))
    return False


def _fixes(variable: str, place: Span, names: list[str], context: Context) -> tuple[Suggestion, ...]:
    """Replace the variable inside the text it stands in."""
    said = context.source.slice(place)
    return tuple(
        Suggestion(f"{{{name}}}", MAYBE, (Edit(place, said.replace(variable, f"{{{name}}}", 1)),))
        for name in names
        if variable in said
    )


def event_names() -> tuple[str, ...]:
    return tuple(name for name in packs.events() if name != "clock")
