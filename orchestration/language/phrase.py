"""One action's tokens sorted: words, arguments in brackets, quoted texts; courtesies are taken off.

Quotes, "om at" clauses and brackets are cut out here, before anything looks for verbs or negations: what a message
says is not what the step does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestration.language import packs
from orchestration.language.diagnostics import MACHINE, Edit, Reporter, Suggestion
from orchestration.language.source import Source, Span
from orchestration.language.words import Token, span_of

_SILENT = ".,:;!?…'’-–—/"
_AND = {"&": "og", "+": "og"}


@dataclass(slots=True)
class Phrase:
    span: Span
    words: list[Token] = field(default_factory=list)
    """Words, numbers and joining marks ("," and "og")."""
    arguments: list[list[Token]] = field(default_factory=list)
    quotes: list[Token] = field(default_factory=list)
    sound: bool = True
    """False when brackets or quotation marks do not match."""
    courtesy: list[Token] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        return [word.key for word in self.words]


def sort(tokens: list[Token], span: Span, source: Source, reporter: Reporter) -> Phrase:
    """Take the action apart."""
    phrase = Phrase(span)
    _Sorter(phrase, source, reporter).run(tokens)
    table = packs.fixed("words", "polite")
    _cut_leading(phrase, table)
    _cut_clause(phrase, source)
    _cut_trailing(phrase, table)
    return phrase


class _Sorter:
    def __init__(self, phrase: Phrase, source: Source, reporter: Reporter) -> None:
        self.phrase = phrase
        self.source = source
        self.reporter = reporter
        self.open: Token | None = None
        self.nested = 0
        self.argument: list[Token] = []

    def run(self, tokens: list[Token]) -> None:
        for token in tokens:
            self._check_quote(token)
            if token.kind == "mark" and token.text in "()":
                self._bracket(token)
            elif self.open is not None:
                self._inside(token)
            else:
                self._outside(token)
        if self.open is not None:
            end = self.phrase.span.end
            fix = Suggestion(")", MACHINE, (Edit(Span(self.open.span.line, end, end), ")"),), "write")
            self._wrong("ORK-401", self.open.span, fix)
            self._finish()

    def _wrong(self, code: str, span: Span, *fixes: Suggestion) -> None:
        self.phrase.sound = False
        self.reporter.report(code, span, {}, fixes)

    def _check_quote(self, token: Token) -> None:
        if token.kind == "quoted" and not token.closed:
            end = Span(token.span.line, self.phrase.span.end, self.phrase.span.end)
            mark = Span(token.span.line, token.span.start, token.span.start + 1)
            self._wrong("ORK-402", mark, Suggestion('"', MACHINE, (Edit(end, '"'),), "write"))

    def _bracket(self, token: Token) -> None:
        if token.text == "(" and self.open is None:
            self.open = token
        elif token.text == "(":
            self._wrong("ORK-403", token.span)
            self.nested += 1
        elif self.nested:
            self.nested -= 1
        elif self.open is None:
            self._wrong("ORK-404", token.span, Suggestion(")", MACHINE, (Edit(token.span, ""),), "remove"))
        else:
            self._finish()

    def _finish(self) -> None:
        self._end_argument()
        self.open = None

    def _end_argument(self) -> None:
        if self.argument:
            self.phrase.arguments.append(self.argument)
        self.argument = []

    def _inside(self, token: Token) -> None:
        if token.kind == "mark" and token.text in ",;/":
            self._end_argument()
        elif token.kind != "mark" or token.text not in _SILENT:
            self.argument.append(token)

    def _outside(self, token: Token) -> None:
        if token.kind == "quoted":
            self.phrase.quotes.append(token)
        elif token.kind == "mark" and token.text in _AND:
            self.phrase.words.append(Token("word", token.text, _AND[token.text], token.span))
        elif token.kind != "mark" or token.text == "," or token.text not in _SILENT:
            self.phrase.words.append(token)


def _cut_clause(phrase: Phrase, source: Source) -> None:
    """ "varsle redaksjonen om at opptaket ikke er klart" carries its message unquoted."""
    keys = phrase.keys
    for index in range(1, len(keys)):
        entry = packs.fixed("words", "that").longest(keys, index)
        start = index + len(entry.phrase) if entry else 0
        if entry and start < len(keys):
            place = span_of(phrase.words[start:])
            phrase.quotes.append(Token("clause", source.slice(place), source.slice(place), place))
            phrase.words = phrase.words[:index]
            return


def _cut_leading(phrase: Phrase, table: packs.PhraseTable) -> None:
    """ "kan du … ?" and "takk" order politely; they order all the same."""
    while phrase.words:
        skip = 1 if phrase.words[0].key in ("og", "and", "så", ",") else 0
        entry = table.longest(phrase.keys, skip)
        if entry is None:
            break
        phrase.courtesy += phrase.words[: skip + len(entry.phrase)]
        phrase.words = phrase.words[skip + len(entry.phrase) :]
    while phrase.words and phrase.words[0].text == ",":
        phrase.words.pop(0)


def _cut_trailing(phrase: Phrase, table: packs.PhraseTable) -> None:
    """ "…, er du snill", "… takk"."""
    start = 1
    while start < len(phrase.words):
        entry = table.longest(phrase.keys, start)
        end = start + len(entry.phrase) if entry else 0
        if entry and all(word.text == "," for word in phrase.words[end:]):
            phrase.courtesy += phrase.words[start:]
            phrase.words = phrase.words[:start]
            start = 0
        start += 1
    while phrase.words and phrase.words[-1].text == ",":
        phrase.words.pop()
