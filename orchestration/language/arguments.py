"""What stands in brackets and in quotation marks, and what a call needs before it is complete."""

from __future__ import annotations

from orchestration.language.binding import bind, default, newest, put, transforms
from orchestration.language.context import Call, Context
from orchestration.language.describe import Param, first_phrase
from orchestration.language.diagnostics import MAYBE, Edit, Suggestion
from orchestration.language.objects import cover
from orchestration.language.phrase import Phrase
from orchestration.language.source import Span
from orchestration.language.suggest import closest
from orchestration.language.variables import check_text
from orchestration.language.verbs import Candidate
from orchestration.language.vocabulary import Hint
from orchestration.language.words import Token, say, span_of


def read(call: Call, phrase: Phrase, context: Context) -> None:
    """Every argument in brackets must be understood whole."""
    for argument in phrase.arguments:
        _read_one(call, argument, context)


def _read_one(call: Call, argument: list[Token], context: Context) -> None:
    found = cover(call.tool, context.vocabulary, argument, in_brackets=True)
    if found.found and not found.left:
        for item in found.found:
            bind(call, item, context)
        return
    if len(argument) == 1 and argument[0].kind == "quoted":
        _text(call, argument[0], context)
        return
    _prefix(call, argument, context)


def _prefix(call: Call, argument: list[Token], context: Context) -> None:
    """ "(stor)" means "stor modell" when nothing else begins so."""
    keys = [token.key for token in argument]
    chosen: dict[tuple[str, str | None], Hint] = {}
    for hint in context.vocabulary.hints(call.tool.name):
        if len(hint.phrase) > len(keys) and all(key in places for key, places in zip(keys, hint.phrase, strict=False)):
            chosen.setdefault((hint.param.name, hint.value), hint)
    if len(chosen) == 1:
        hint = next(iter(chosen.values()))
        value = hint.value if hint.value is not None else default(call, hint.param, span_of(argument), context)
        if value is not None:
            put(call, hint.param, value, span_of(argument), context)
            call.said.append(hint.param.name)
    elif chosen:
        _report_choice("ORK-409", call, argument, [" ".join(hint.base) for hint in chosen.values()], context)
    else:
        _report_choice("ORK-406", call, argument, closest(say(argument).casefold(), _allowed(call, context)), context)


def _report_choice(code: str, call: Call, argument: list[Token], choices: list[str], context: Context) -> None:
    place = span_of(argument)
    fixes = tuple(Suggestion(choice, MAYBE, (Edit(place, choice),)) for choice in choices)
    allowed = tuple(choices) if code == "ORK-409" else tuple(_printed(call)) or ("ingenting",)
    args = {"phrase": say(argument), "verb": call.alias, "allowed": allowed}
    context.reporter.report(code, place, args, fixes)


def _allowed(call: Call, context: Context) -> list[str]:
    """Every phrase that may stand in this call's brackets."""
    hints = context.vocabulary.hints(call.tool.name)
    return list(dict.fromkeys(" ".join(hint.base) for hint in hints if hint.value is not None))


def _printed(call: Call) -> list[str]:
    """One phrase per value: what there is to choose from."""
    phrases = [first_phrase(words, "nb") or value for param in call.tool.params for value, words in param.enum]
    numbers = [
        f"N {first_phrase(param.units + param.hints, 'nb')}" for param in call.tool.params if param.slot == "number"
    ]
    return (phrases + numbers)[:8]


def quotes(call: Call, phrase: Phrase, context: Context) -> None:
    for quote in phrase.quotes:
        _text(call, quote, context)


def _text(call: Call, quote: Token, context: Context) -> None:
    """A quoted text fills the first text parameter that is still empty."""
    param = next((item for item in call.tool.params if item.slot == "text" and item.name not in call.params), None)
    if param is None:
        args = {"phrase": quote.key or '""', "verb": call.alias}
        context.reporter.report("ORK-410", quote.span, args)
    elif check_text(quote.key, quote.span, context):
        put(call, param, quote.key, quote.span, context)
        call.said.append(param.name)


def from_alias(call: Call, candidate: Candidate) -> None:
    """ "bygg forside" names the target in its verb phrase; "skriv om" is as a whole what "rens tekst" is not."""
    words = {*candidate.entry.base[1:], " ".join(candidate.entry.base)}
    for param in call.tool.params:
        for value, phrases in param.enum:
            if param.name not in call.params and any(phrase.casefold() in words for _, phrase in phrases):
                call.params[param.name] = value
                call.said.append(param.name)


def complete(call: Call, place: Span, context: Context) -> None:
    """Bind what the author left to the default; report what only the author can say."""
    needed = _needed(call)
    for param in call.tool.params:
        if param.name in call.params or param not in needed:
            continue
        if param.bind:
            chained = newest(param, context) if transforms(call.tool, param) else None
            value = chained or default(call, param, place, context)
            if value is not None:
                call.params[param.name] = value
        elif param.default is None:
            _report_missing(call, param, place, context)


def _needed(call: Call) -> tuple[Param, ...]:
    """What a call can't do without. A tool that demands nothing to work on, because there are several ways to say it,
    works on what the event is about when the author names nothing."""
    required = tuple(param for param in call.tool.params if param.required)
    ways = [param for param in call.tool.params if param.bind]
    if any(param.required or param.name in call.params for param in ways):
        return required
    return (*required, *ways[:1])


def _report_missing(call: Call, param: Param, place: Span, context: Context) -> None:
    allowed = tuple(first_phrase(words, "nb") or value for value, words in param.enum)[:5]
    allowed = allowed or tuple(phrase for _, phrase in param.hints)[:3] or (param.name,)
    fixes = tuple(
        Suggestion(f"{call.alias} {text}", MAYBE, (Edit(place, f"{call.alias} {text}"),))
        for text in allowed[:3]
        if param.enum
    )
    args = {"verb": call.alias, "param": param.name.replace("_", " "), "allowed": allowed}
    context.reporter.report("ORK-408", place, args, fixes)
