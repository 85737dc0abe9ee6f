"""One command of the technical layer → a tool call or a work item.

The command looks like a shell's but is none: its words become parameters, quotes only join words, and every shell
character is an ordinary one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

from orchestration.language.binding import out_of_range, range_of
from orchestration.language.context import Context, in_order
from orchestration.language.describe import NUMERIC, Param, Tool
from orchestration.language.diagnostics import MAYBE, Edit, Suggestion
from orchestration.language.objects import number_of
from orchestration.language.plan import Alternative, ToolCall, Value, WorkItem
from orchestration.language.source import Span
from orchestration.language.suggest import closest
from orchestration.language.tree import Action
from orchestration.language.variables import check_text
from orchestration.language.words import HYPHENS, OPENING_QUOTES

_SHELL = frozenset("$;|&><*~`")
_UUID = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
_HASH = re.compile(r"^[0-9a-f]{64}$")
_SPACES = " \t\u00a0\u2007\u202f\u2009"
_ONLY_VARIABLE = re.compile(r"^\{[a-z_]+(\.[a-z0-9_]+)+\}$")


@dataclass(slots=True)
class Word:
    text: str
    span: Span
    quoted: bool = False
    opened: bool = False
    """It begins with a quotation mark, so it is a value whatever it looks like."""


@dataclass(slots=True)
class _Args:
    flags: list[tuple[Word, Word | None]] = field(default_factory=list)
    """Flags with their values; None when none followed."""
    loose: list[Word] = field(default_factory=list)


def resolve(action: Action, context: Context) -> Alternative | None:
    """The alternative, or None with the reason reported."""
    words = [word for span in (action.span, *action.more) for word in split(context, span)]
    before = len(context.reporter.found)
    if not words:
        context.reporter.report("ORK-202", action.span)
        return None
    _check_shell(words, context)
    found = _work_item(words, context) if words[0].text == "work_item" else _tool(words, context)
    failed = any(item.severity == "error" for item in context.reporter.found[before:])
    return None if failed else found


def split(context: Context, span: Span) -> list[Word]:
    """Words at spaces; quotes join, and only `\\"` and `\\\\` escape."""
    text, words, position = context.source.line(span.line), list[Word](), span.start
    while position < span.end:
        if text[position] in _SPACES:
            position += 1
            continue
        word, position = _word(text, span, position, context)
        words.append(word)
    return words


def _word(text: str, span: Span, start: int, context: Context) -> tuple[Word, int]:
    out, position, quoted = list[str](), start, False
    while position < span.end and text[position] not in _SPACES:
        character = text[position]
        if character in OPENING_QUOTES or character == "'":
            part, position = _quoted(text, span, position, context)
            out.append(part)
            quoted = True
        elif character == "{" and "}" in text[position : span.end]:
            end = text.index("}", position) + 1
            out.append(text[position:end].replace(" ", ""))
            position = end
        else:
            out.append(character)
            position += 1
    opened = text[start] in OPENING_QUOTES or text[start] == "'"
    return Word("".join(out), Span(span.line, start, position), quoted, opened), position


def _quoted(text: str, span: Span, start: int, context: Context) -> tuple[str, int]:
    single = text[start] == "'"
    closing = "'" if single else OPENING_QUOTES
    out, position = list[str](), start + 1
    while position < span.end and text[position] not in closing:
        if not single and text[position] == "\\" and text[position + 1 : position + 2] in ("\\", *OPENING_QUOTES):
            position += 1
        out.append(text[position : position + 1])
        position += 1
    if position >= span.end:
        fix = Suggestion('"', "machine", (Edit(Span(span.line, span.end, span.end), text[start]),), "write")
        context.reporter.report("ORK-402", Span(span.line, start, start + 1), {}, (fix,))
    return "".join(out), position + 1


def _check_shell(words: list[Word], context: Context) -> None:
    for word in words:
        strange = next((character for character in word.text if character in _SHELL), "")
        if strange and not word.quoted:
            context.reporter.report("ORK-702", word.span, {"character": strange})


def _arguments(words: list[Word], tool: Tool | None) -> _Args:
    """Pair flags with values: `--flag=value` or `--flag value`; a flag that is a boolean takes none."""
    found, index = _Args(), 0
    while index < len(words):
        word = words[index]
        index += 1
        name = _flag_text(word)
        if name is None:
            found.loose.append(word)
            continue
        flag, equals, value = name.partition("=")
        place = Span(word.span.line, word.span.start, word.span.start + len(flag))
        param = tool.by_flag(flag) if tool else None
        if equals:
            rest = Span(word.span.line, place.end + 1, word.span.end)
            found.flags.append((Word(flag, place), Word(value, rest, word.quoted)))
        elif (param and param.type == "boolean") or index >= len(words) or _flag_text(words[index]) is not None:
            found.flags.append((Word(flag, place), None))
        else:
            found.flags.append((Word(flag, place), words[index]))
            index += 1
    return found


def _flag_text(word: Word) -> str | None:
    """The word as a flag; word processors make one dash of two."""
    text = word.text
    if word.opened:
        return None
    if len(text) > 1 and text[0] in HYPHENS and text[0] != "-":
        text = "--" + text.lstrip(HYPHENS)
    return text if text.startswith("--") and len(text) > 2 else None


def _work_item(words: list[Word], context: Context) -> WorkItem | None:
    found = _arguments(words[1:], None)
    place = words[0].span.to(words[-1].span)
    tags = [value.text for flag, value in found.flags if flag.text == "--tag" and value is not None]
    for flag, _ in found.flags:
        if flag.text != "--tag":
            args = {"tool": "work_item", "flag": flag.text, "allowed": ("--tag",)}
            context.reporter.report("ORK-703", flag.span, args)
    if not found.loose or not found.loose[0].text.strip():
        context.reporter.report("ORK-405", place)
        return None
    title = found.loose[0]
    for word in found.loose[1:]:
        context.reporter.report("ORK-703", word.span, {"tool": "work_item", "flag": word.text, "allowed": ("--tag",)})
    check_text(title.text, title.span, context)
    return WorkItem(title.text, tuple(dict.fromkeys(tags)))


def _tool(words: list[Word], context: Context) -> ToolCall | None:
    name = words[0]
    tool = context.vocabulary.tools.get(name.text)
    if name.text in context.vocabulary.off:
        context.reporter.report("ORK-304", name.span, {"tool": name.text})
        return None
    if tool is None:
        # Only the verb is compared: the common beginning would make every name alike.
        verbs = [tool.removeprefix("synops-") for tool in context.vocabulary.tools]
        near = closest(name.text.removeprefix("synops-"), verbs)
        fixes = tuple(Suggestion(f"synops-{verb}", MAYBE, (Edit(name.span, f"synops-{verb}"),)) for verb in near)
        context.reporter.report("ORK-701", name.span, {"tool": name.text}, fixes)
        return None
    found = _arguments(words[1:], tool)
    params: dict[str, Value] = {}
    for flag, value in found.flags:
        _set(params, tool, flag, value, context)
    for word in found.loose:
        _unknown_flag(tool, word, context)
    _check_required(params, tool, name.span, context)
    ordered = in_order(tool, params)
    return ToolCall(tool.name, tool.job_type(ordered), ordered)


def _unknown_flag(tool: Tool, flag: Word, context: Context) -> None:
    flags = [param.flag for param in tool.params]
    fixes = tuple(Suggestion(text, MAYBE, (Edit(flag.span, text),)) for text in closest(flag.text, flags))
    args = {"tool": tool.name, "flag": flag.text, "allowed": tuple(flags) or ("–",)}
    context.reporter.report("ORK-703", flag.span, args, fixes)


def _set(params: dict[str, Value], tool: Tool, flag: Word, value: Word | None, context: Context) -> None:
    param = tool.by_flag(flag.text)
    if param is None:
        _unknown_flag(tool, flag, context)
        return
    if param.name in params:
        context.reporter.report("ORK-704", flag.span, {"flag": flag.text})
        return
    if value is None:
        if param.type == "boolean":
            params[param.name] = True
        else:
            _wrong_type(param, "", flag.span, (), context)
        return
    if "{" in value.text and not check_text(value.text, value.span, context):
        return
    typed = _typed(param, value, context)
    if typed is not None:
        params[param.name] = typed


def _typed(param: Param, value: Word, context: Context) -> Value | None:
    """The value in the parameter's type; a variable fits every type until the run."""
    if _ONLY_VARIABLE.match(value.text):
        return value.text
    if param.enum and not param.enum_open and value.text not in param.values:
        near = closest(value.text, list(param.values))
        _wrong_type(param, value.text, value.span, tuple(near), context)
        return None
    if param.type in NUMERIC:
        number = number_of(value.text, param)
        if number is None or out_of_range(param, number):
            _wrong_type(param, value.text, value.span, (), context)
            return None
        return number
    if param.type == "boolean" and value.text in ("true", "false"):
        return value.text == "true"
    if not _fits(param, value.text):
        _wrong_type(param, value.text, value.span, (), context)
        return None
    return value.text


def _fits(param: Param, text: str) -> bool:
    if param.type == "uuid":
        return bool(_UUID.match(text))
    if param.type == "hash":
        return bool(_HASH.match(text))
    if param.type == "date":
        try:
            return bool(date.fromisoformat(text))
        except ValueError:
            return False
    return param.type != "boolean"


def _wrong_type(param: Param, value: str, place: Span, near: tuple[str, ...], context: Context) -> None:
    limited = param.minimum is not None or param.maximum is not None
    expected = " | ".join(param.values) if param.enum else range_of(param) if limited else param.type
    fixes = tuple(Suggestion(text, MAYBE, (Edit(place, text),)) for text in near)
    context.reporter.report("ORK-705", place, {"value": value, "flag": param.flag, "expected": expected}, fixes)


def _check_required(params: dict[str, Value], tool: Tool, place: Span, context: Context) -> None:
    for param in tool.params:
        if param.required and param.name not in params and not context.reporter.failed_at(place.line):
            text = param.flag + (f" {{{param.bind[0]}}}" if param.bind else "")
            context.reporter.report("ORK-408", place, {"verb": tool.name, "param": param.flag, "allowed": (text,)})
