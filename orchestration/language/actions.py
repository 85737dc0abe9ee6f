"""One action of the human layer → a tool call or a work item."""

from __future__ import annotations

from orchestration.language import arguments, guards, packs, split, unknown, verbs
from orchestration.language import phrase as phrases
from orchestration.language.binding import bind
from orchestration.language.context import Call, Context, in_order
from orchestration.language.describe import Tool
from orchestration.language.diagnostics import MACHINE, MAYBE, Edit, Suggestion
from orchestration.language.phrase import Phrase
from orchestration.language.plan import Alternative, ToolCall, WorkItem
from orchestration.language.source import Span
from orchestration.language.tree import Action
from orchestration.language.variables import check_text
from orchestration.language.verbs import Candidate
from orchestration.language.vocabulary import WORK_ITEM
from orchestration.language.words import Token, key_of, say, span_of

MAX_TITLE = 200


def resolve(action: Action, context: Context) -> tuple[Alternative | None, list[str]]:
    """The alternative and the parameters that the author's words chose; None when an error was reported."""
    phrase = phrases.sort(action.tokens, action.span, context.source, context.reporter)
    if not phrase.words and not phrase.quotes:
        context.reporter.report("ORK-202", action.span)
        return None, []
    found = verbs.best(phrase.words, context.vocabulary)
    covered = _covered(phrase, found)
    if guards.refuses(phrase, covered, context.reporter):
        return None, []
    if split.two_actions(phrase, context):
        return None, []
    if not found:
        if not _turned_off(phrase, context):
            unknown.explain(phrase, context)
        return None, []
    if len(found) > 1:
        return _ambiguous(phrase, found, context)
    if not phrase.sound:
        return None, []
    if found[0].tool == WORK_ITEM:
        return _work_item(phrase, found[0], context), []
    return _call(phrase, found[0], context)


def _turned_off(phrase: Phrase, context: Context) -> bool:
    """A verb of a tool that is off is no unknown one: nothing else should be written instead."""
    found = verbs.best(phrase.words, context.vocabulary.turned_off)
    if not found or found[0].tool == WORK_ITEM:
        return False
    place = span_of([phrase.words[index] for index in found[0].places])
    context.reporter.report("ORK-304", place, {"tool": found[0].tool})
    return True


def _covered(phrase: Phrase, found: list[Candidate]) -> set[int]:
    """Words that belong to the verb or to a hint: "alle i samlingen" limits nothing."""
    places = {place for candidate in found for place in candidate.places}
    spans = {token.span for candidate in found for item in candidate.cover.found for token in item.tokens}
    return places | {index for index, word in enumerate(phrase.words) if word.span in spans}


def _ambiguous(phrase: Phrase, found: list[Candidate], context: Context) -> tuple[None, list[str]]:
    names = tuple(" ".join(candidate.entry.base) for candidate in found)
    place = span_of(phrase.words)
    head = span_of([phrase.words[index] for index in found[0].places])
    fixes = tuple(Suggestion(name, "maybe", (Edit(head, name),)) for name in names)
    context.reporter.report("ORK-302", place, {"phrase": say(phrase.words), "allowed": names}, fixes)
    return None, []


def _call(phrase: Phrase, candidate: Candidate, context: Context) -> tuple[Alternative | None, list[str]]:
    tool = context.vocabulary.tools[candidate.tool]
    call = Call(tool, " ".join(candidate.entry.base))
    before = len(context.reporter.found)
    for found in candidate.cover.found:
        bind(call, found, context)
    arguments.read(call, phrase, context)
    arguments.quotes(call, phrase, context)
    arguments.from_alias(call, candidate)
    _report_left(phrase, candidate, call, context)
    if not any(item.severity == "error" for item in context.reporter.found[before:]):
        arguments.complete(call, span_of(phrase.words), context)
    if any(item.severity == "error" for item in context.reporter.found[before:]):
        return None, []
    if context.vocabulary.is_former(candidate.entry):
        _report_former(phrase, candidate, tool, context)
    params = in_order(tool, call.params)
    return ToolCall(tool.name, tool.job_type(params), params), call.said


def _report_former(phrase: Phrase, candidate: Candidate, tool: Tool, context: Context) -> None:
    current = tool.alias(candidate.entry.language)
    place = span_of([phrase.words[index] for index in candidate.places])
    together = len(candidate.places) == candidate.places[-1] - candidate.places[0] + 1
    fix = Suggestion(current, MACHINE if together else MAYBE, (Edit(place, current),) if together else ())
    args = {"phrase": " ".join(candidate.entry.base), "current": current}
    context.reporter.report("ORK-303", place, args, (fix,))


def _report_left(phrase: Phrase, candidate: Candidate, call: Call, context: Context) -> None:
    """Left-over words are a warning; behind "og" they are a second thing asked for, and an error."""
    for word, rest in candidate.cover.compounds:
        fix = Suggestion(rest, "maybe", (Edit(word.span, rest),))
        context.reporter.report("ORK-120", word.span, {"word": word.text, "read": rest}, (fix,))
    left = [phrase.words.index(word) for word in candidate.left if word.kind != "mark"]
    for index in left:
        if index and phrase.words[index - 1].key in ("og", "and", "samt"):
            tail = phrase.words[index:]
            context.reporter.report("ORK-301", span_of(tail), {"phrase": say(tail)})
            return
    for group in _groups(left):
        if _names_another_thing(phrase, group[0], call, context):
            return
        words = phrase.words[group[0] : group[-1] + 1]
        fixes = unknown.near_object(words[0], call.tool, context) if len(words) == 1 else ()
        context.reporter.report("ORK-410", span_of(words), {"phrase": say(words), "verb": call.alias}, fixes)


def _names_another_thing(phrase: Phrase, index: int, call: Call, context: Context) -> bool:
    """ "skriv ut sammendraget", "legg ut feeden": to do it to something else would not be what was asked for."""
    words, key = phrase.words[index], phrase.words[index].key
    made = {field for tool in context.earlier.values() for field in tool.outputs}
    results = context.vocabulary.results_by_first.get(key, ())
    for result, fields in results:
        makers = [tool.alias("nb") for tool in context.vocabulary.ranked() if set(fields) & set(tool.outputs)]
        if len(result) == 1 and makers and not made.intersection(fields) and context.trigger is not None:
            args = {"phrase": words.text, "allowed": tuple(makers[:3])}
            context.reporter.report("ORK-506", words.span, args)
            return True
    others = [entry for entry in context.vocabulary.noun_aliases.starting(key) if entry.meaning != call.tool.name]
    if others and not results and not call.places:
        args = {"phrase": words.text, "verb": call.alias}
        context.reporter.report("ORK-410", words.span, args, severity="error")
        return True
    return False


def _groups(places: list[int]) -> list[list[int]]:
    """Words that stand side by side are one phrase."""
    groups: list[list[int]] = []
    for place in places:
        if groups and groups[-1][-1] == place - 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _work_item(phrase: Phrase, candidate: Candidate, context: Context) -> WorkItem | None:
    title = _title(phrase, candidate, context)
    if title is None:
        return None
    if len(title.key) > MAX_TITLE:
        args = {"what": "tegn", "count": str(len(title.key)), "limit": str(MAX_TITLE)}
        context.reporter.report("ORK-005", title.span, args)
        return None
    if not check_text(title.key, title.span, context):
        return None
    tags = tuple(dict.fromkeys(slug(say(argument)) for argument in phrase.arguments))
    return WorkItem(title.key, tuple(tag for tag in tags if tag))


def slug(text: str) -> str:
    """A tag: case-folded words joined by hyphens."""
    return "-".join(key_of(text).replace('"', "").split())


def _title(phrase: Phrase, candidate: Candidate, context: Context) -> Token | None:
    """The quoted title; unquoted words serve with a warning."""
    if phrase.quotes and phrase.quotes[0].key.strip():
        title = phrase.quotes[0]
        _report_beside(phrase, candidate, context)
        return title if title.kind == "quoted" else _unquoted(title, context)
    last = candidate.places[-1]
    words = phrase.words[last + 1 :]
    if not words:
        end = phrase.words[last].span.end
        place = span_of(phrase.words)
        fix = Suggestion('"…"', "placeholder", (Edit(Span(place.line, end, end), ' "…"'),), "write")
        context.reporter.report("ORK-405", place, {}, (fix,))
        return None
    place = span_of(words)
    return _unquoted(Token("quoted", say(words), context.source.slice(place), place), context)


def _report_beside(phrase: Phrase, candidate: Candidate, context: Context) -> None:
    """ "lag oppgave til Kari "…"": words beside the title do nothing."""
    passed = packs.word_set("stop") | packs.word_set("new")
    words = [
        word for index, word in enumerate(phrase.words) if index not in candidate.places and word.key not in passed
    ]
    if words and words[0].kind != "mark":
        args = {"phrase": say(words), "verb": " ".join(candidate.entry.base)}
        context.reporter.report("ORK-410", span_of(words), args)


def _unquoted(title: Token, context: Context) -> Token:
    fix = Suggestion(f'"{title.key}"', MACHINE, (Edit(title.span, f'"{title.key}"'),), "write")
    context.reporter.report("ORK-411", title.span, {"title": title.key}, (fix,))
    return title
