"""A phrase that no tool answers to: what the author may have meant.

In this order: what tools say they are mistaken for, a misspelling, a tool with the same object, and for all the
short list of what is offered first. Never the phrase itself, never for mere likeness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from orchestration.language import packs, verbs
from orchestration.language.context import Context
from orchestration.language.describe import Tool
from orchestration.language.diagnostics import MAYBE, Edit, Note, Suggestion
from orchestration.language.objects import cover
from orchestration.language.phrase import Phrase
from orchestration.language.suggest import closest, limit
from orchestration.language.vocabulary import WORK_ITEM
from orchestration.language.words import Token, say, span_of

MAX_SUGGESTIONS = 3
MAX_SHOWN = 5


def explain(phrase: Phrase, context: Context) -> None:
    """Report an unknown verb with the best ways out."""
    if not phrase.words:
        context.reporter.report(
            "ORK-301", phrase.span, {"phrase": context.source.slice(phrase.span)}, (), _notes(phrase, context)
        )
        return
    curated = _curated(phrase, context)
    if curated is not None:
        words, suggestions = curated
    else:
        words, suggestions = _misspelt(phrase, context) or (phrase.words, _same_object(phrase, context))
    place = span_of(words)
    context.reporter.report(
        "ORK-301", place, {"phrase": say(words)}, suggestions[:MAX_SUGGESTIONS], _notes(phrase, context)
    )


def _notes(phrase: Phrase, context: Context) -> tuple[Note, ...]:
    names = context.vocabulary.available("nb", 3)
    notes = [Note("available", {"names": names})] if names else []
    for index in range(len(phrase.words)):
        entry = packs.fixed("idioms_elsewhere").longest(phrase.keys, index)
        if entry and index == 0:
            notes.append(Note(f"{'retry' if entry.meaning == 'retry' else 'stops'}_by_itself"))
    return tuple(notes)


def _curated(phrase: Phrase, context: Context) -> tuple[list[Token], tuple[Suggestion, ...]] | None:
    """ "send epost til deltakerne" → "varsle deltakerne"."""
    places = [
        index
        for index, word in enumerate(phrase.words)
        if word.key not in ("en", "ei", "et", "ein", "eit", "a", "an", "the")
    ]
    keys = [phrase.words[index].key for index in places]
    for index in range(len(keys)):
        entry = context.vocabulary.suggest_for.longest(keys, index)
        if entry is None:
            continue
        words = phrase.words[places[index] : places[index + len(entry.phrase) - 1] + 1]
        tool = context.vocabulary.tools[entry.meaning]
        rest = phrase.words[places[index + len(entry.phrase) - 1] + 1 :]
        found = cover(tool, context.vocabulary, rest)
        objects = [say(list(item.tokens)) for item in found.found]
        text = " ".join([tool.alias("nb"), *objects])
        return words, (Suggestion(text, MAYBE, (Edit(span_of(phrase.words[index:]), text),)),)
    return None


def _misspelt(phrase: Phrase, context: Context) -> tuple[list[Token], tuple[Suggestion, ...]] | None:
    """A misspelt verb, or a misspelt noun beside a right verb: only when the phrase then is understood."""
    found = list(_one_word(phrase, context)) or list(_whole_alias(phrase, context))
    if not found:
        return None
    words = found[0][0]
    return words, tuple(suggestion for same, suggestion in found if same == words)


def _content(phrase: Phrase) -> list[int]:
    passed = packs.word_set("stop")
    return [index for index, word in enumerate(phrase.words) if word.kind == "word" and word.key not in passed]


def _one_word(phrase: Phrase, context: Context) -> Iterator[tuple[list[Token], Suggestion]]:
    known = context.vocabulary.known_words
    for index in _content(phrase)[:4]:
        word = phrase.words[index]
        if word.key in packs.word_set("real"):
            continue
        for text in closest(word.key, known, MAX_SHOWN):
            right = [*phrase.words]
            right[index] = replace(word, key=text)
            if verbs.best(right, context.vocabulary):
                yield [word], Suggestion(text, MAYBE, (Edit(word.span, text),))


def _whole_alias(phrase: Phrase, context: Context) -> Iterator[tuple[list[Token], Suggestion]]:
    """Words run together or parted: "rssfeed", "trans kriber", "lagsammendrag"."""
    aliases = context.vocabulary.joined_aliases
    places = _content(phrase)
    for count in (1, 2, 3):
        words = [phrase.words[index] for index in places[:count]]
        if len(words) < count:
            return
        if words[0].key in packs.word_set("real") | packs.word_set("elsewhere"):
            return
        joined = "".join(word.key for word in words)
        near = [joined] if joined in aliases else [text for text in closest(joined, list(aliases)) if limit(joined) > 1]
        for text in near:
            place = span_of(words)
            if aliases[text] != say(words).casefold():
                yield words, Suggestion(aliases[text], MAYBE, (Edit(place, aliases[text]),))


def _same_object(phrase: Phrase, context: Context) -> tuple[Suggestion, ...]:
    """Tools whose verb phrase names a thing that the author names too, and nothing but its verb is strange."""
    if phrase.words[0].key in packs.word_set("elsewhere"):
        return ()  # to be offered "rens lydfil" for "slett lydfilen" helps nobody
    nouns = {word.key for word in phrase.words[1:] if word.key not in packs.word_set("stop")}
    found: list[Suggestion] = []
    place = span_of(phrase.words)
    making = packs.word_set("light") | packs.word_set("update")
    for entry in sorted(context.vocabulary.aliases.entries, key=lambda item: item.base[0] not in making):
        own = entry.phrase[1:]
        shared = len(own) == 1 and own[0] & nouns and entry.meaning != WORK_ITEM
        text = " ".join(entry.base)
        if shared and all(item.show != text for item in found) and _first_of(entry.meaning, found, context):
            found.append(Suggestion(text, MAYBE, (Edit(place, text),)))
    return tuple(found[:2])


def _first_of(tool: str, found: list[Suggestion], context: Context) -> bool:
    """One suggestion per tool."""
    shown = {item.show for item in found}
    return not any(" ".join(e.base) in shown for e in context.vocabulary.aliases.entries if e.meaning == tool)


def near_object(word: Token, tool: Tool, context: Context) -> tuple[Suggestion, ...]:
    """What a left-over word may be a misspelling of."""
    hints = context.vocabulary.hints(tool.name)
    aliases = [entry for entry in context.vocabulary.aliases.entries if entry.meaning == tool.name]
    phrases = [hint.phrase for hint in hints] + [entry.phrase[1:] for entry in aliases]
    known = sorted({form for phrase in phrases for places in phrase for form in places})
    return tuple(Suggestion(text, MAYBE, (Edit(word.span, text),)) for text in closest(word.key, known, 1))
