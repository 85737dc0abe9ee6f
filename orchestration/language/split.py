"""Two actions in one step: "transkriber lydfilen og oppsummer samtalen".

"og" also joins nouns ("samtalen og møtet") and verbs of one action ("rens og normaliser lyden"); only when both
sides are actions of different tools is the step two.
"""

from __future__ import annotations

from orchestration.language import packs, verbs
from orchestration.language.context import Context
from orchestration.language.diagnostics import MACHINE, Edit, Suggestion
from orchestration.language.objects import JOINERS
from orchestration.language.phrase import Phrase
from orchestration.language.source import Span
from orchestration.language.verbs import NOUN, Candidate
from orchestration.language.words import Token, say, span_of


def two_actions(phrase: Phrase, context: Context) -> bool:
    """Report a step that is two; the fix writes them on two lines."""
    for index in range(1, len(phrase.words) - 1):
        if phrase.words[index].key in JOINERS | {"så", "deretter", "then"}:
            found = _halves(phrase, index, context)
            if found is not None:
                _report(phrase, found, context)
                return True
    return False


def _halves(phrase: Phrase, index: int, context: Context) -> tuple[list[Token], list[Token]] | None:
    left = phrase.words[:index]
    start = index + 1
    while start < len(phrase.words) and phrase.words[start].key in JOINERS | packs.word_set("stop"):
        start += 1
    right = phrase.words[start:]
    first, second = _action(left, context), _action(right, context)
    if second is None or second.places[0] != 0:
        return None
    shared = right[len(second.places) :]
    if first is None and shared and second.places == tuple(range(len(second.places))):
        first = _action([*left, *shared], context)  # "rens og transkriber lydfilen"
        left = [*left, *shared] if first is not None else left
    whole = _action(phrase.words, context)
    if first is None or first.tool == second.tool or (whole and not whole.left and _shares(whole, right)):
        return None
    return left, right


def _shares(whole: Candidate, right: list[Token]) -> bool:
    """The right side is an object of the one action: "oppsummer samtalen og innspillingen"."""
    spans = {token.span for item in whole.cover.found for token in item.tokens}
    return right[0].span in spans


def _action(words: list[Token], context: Context) -> Candidate | None:
    found = verbs.best(words, context.vocabulary) if words else []
    return found[0] if len(found) == 1 and found[0].kind != NOUN else None


def _report(phrase: Phrase, halves: tuple[list[Token], list[Token]], context: Context) -> None:
    left, right = halves
    own = [word for word in left if word.span.start < right[0].span.start]
    shared = "".join(f" {word.text}" for word in left[len(own) :])
    cut = Span(own[-1].span.line, own[-1].span.end, right[0].span.start)
    between = [quote for quote in phrase.quotes if cut.start <= quote.span.start < cut.end]
    fix = Suggestion("", MACHINE, (Edit(cut, f"{shared}\n{context.number + 1}. "),), "split")
    bracket = any(cut.start <= token.span.start < cut.end for argument in phrase.arguments for token in argument)
    fixes = () if context.fallback or between or bracket else (fix,)
    context.reporter.report("ORK-208", span_of(phrase.words), {"first": say(left), "second": say(right)}, fixes)
