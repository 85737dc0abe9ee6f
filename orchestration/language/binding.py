"""Words that were found → values and variables of a call."""

from __future__ import annotations

from orchestration.language.context import Call, Context
from orchestration.language.describe import Param, Tool
from orchestration.language.diagnostics import MAYBE, Edit, Note, Suggestion
from orchestration.language.objects import Found
from orchestration.language.plan import Value
from orchestration.language.source import Span
from orchestration.language.words import say, span_of


def bind(call: Call, found: Found, context: Context) -> None:
    """Set the parameter, or report what stands in the way."""
    place = span_of(list(found.tokens))
    if found.value is not None:
        if out_of_range(found.param, found.value):
            args = {"value": say(list(found.tokens)), "flag": found.param.flag, "expected": range_of(found.param)}
            context.reporter.report("ORK-705", place, args)
            return
        put(call, found.param, found.value, place, context)
        call.said.append(found.param.name)
        return
    value = _bound(call, found, place, context)
    if value is not None:
        put(call, found.param, value, place, context)


def out_of_range(param: Param, value: Value) -> bool:
    if isinstance(value, str | bool):
        return False
    return (param.minimum is not None and value < param.minimum) or (
        param.maximum is not None and value > param.maximum
    )


def range_of(param: Param) -> str:
    """ "-40 … -8", "≥ 1"."""
    if param.minimum is not None and param.maximum is not None:
        return f"{param.minimum:g} … {param.maximum:g}"
    return f"≥ {param.minimum:g}" if param.minimum is not None else f"≤ {param.maximum:g}"


def put(call: Call, param: Param, value: Value, place: Span, context: Context) -> None:
    """Set a parameter once; the same value again is no contradiction."""
    old = call.params.get(param.name)
    if old is None or (old == value and type(old) is type(value)):
        call.params[param.name] = value
        call.places.setdefault(param.name, place)
        return
    if param.name not in call.places:
        call.params[param.name] = value
        call.places[param.name] = place
        return
    first = call.places[param.name]
    said = context.source.slice(first)
    args = {"first": said, "second": context.source.slice(place)}
    fix = Suggestion(args["second"], MAYBE, (Edit(place, ""),), "remove")
    context.reporter.report("ORK-407", place, args, (fix,), (Note("first_here", {"phrase": said}, first),))


def _bound(call: Call, found: Found, place: Span, context: Context) -> str | None:
    said = say(list(found.tokens))
    if found.step:
        return _of_step(found, place, said, context)
    if found.newest:
        made = newest(found.param, context)
        if made is None:
            _report_missing(said, place, (), found.param, context)
        return made
    if found.result:
        return _result(found, place, said, context)
    chained = newest(found.param, context) if transforms(call.tool, found.param) else None
    return chained or default(call, found.param, place, context)


def default(call: Call, param: Param, place: Span, context: Context) -> str | None:
    """The variable that the trigger gives for the parameter."""
    variable = context.variable(param)
    if variable is not None:
        return f"{{{variable}}}"
    trigger = context.trigger
    allowed = tuple(f"event.{name}" for name in trigger.variables) if trigger else ()
    args = {
        "verb": call.alias,
        "variable": param.bind[0],
        "event": trigger.event if trigger else "",
        "allowed": allowed,
    }
    context.reporter.report("ORK-504", place, args)
    return None


def transforms(tool: Tool, param: Param) -> bool:
    """A tool that gives back the kind of thing it takes ("rens lyden"): a later one works on what it made."""
    return param.type == "hash" and param.name in tool.outputs


def newest(param: Param, context: Context) -> str | None:
    """What the latest earlier step made of the thing that `param` takes."""
    for number in sorted(context.earlier, reverse=True):
        if param.name in context.earlier[number].outputs and param.type in ("hash", "string"):
            return f"{{steps.{number}.{param.name}}}"
    return None


def _of_step(found: Found, place: Span, said: str, context: Context) -> str | None:
    if not 1 <= found.step < context.number:
        context.reporter.report("ORK-503", place, {"variable": said})
        return None
    tool = context.earlier.get(found.step)
    field = found.param.name if tool is None else output_for(tool, found.param)
    if field is None:
        _report_missing(said, place, (), found.param, context)
        return None
    return f"{{steps.{found.step}.{field}}}"


def output_for(tool: Tool, param: Param) -> str | None:
    """The output of `tool` that `param` can take: by name, else the only one of its kind."""
    if param.name in tool.outputs or not tool.outputs:
        return param.name
    ending = "hash" if param.type == "hash" else "_id"
    return next((name for name in tool.outputs if name.endswith(ending)), None)


def _result(found: Found, place: Span, said: str, context: Context) -> str | None:
    """The nearest earlier step that makes it; in a cascade the recipe before."""
    for number in sorted(context.earlier, reverse=True):
        field = next((name for name in found.result if name in context.earlier[number].outputs), None)
        if field is not None:
            return f"{{steps.{number}.{field}}}"
    if context.trigger is not None and context.trigger.event == "cascade":
        return f"{{upstream.{found.result[0]}}}"
    if context.trigger is None:
        return f"{{steps.1.{found.result[0]}}}"
    _report_missing(said, place, found.result, found.param, context)
    return None


def _report_missing(said: str, place: Span, fields: tuple[str, ...], param: Param, context: Context) -> None:
    tools = context.vocabulary.ranked()
    makers = [tool for tool in tools if any(field in tool.outputs for field in fields or (param.name,))]
    allowed = tuple(tool.alias("nb") for tool in makers)[:3] or ("…",)
    context.reporter.report("ORK-506", place, {"phrase": said, "allowed": allowed})
