"""The words of an action that are not its verb: which parameter each of them sets.

Leftmost, longest, and nothing passed over: what no hint, slot, result word or filler explains is handed back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from orchestration.language import packs
from orchestration.language.describe import NUMERIC, Param, Tool
from orchestration.language.plan import Value
from orchestration.language.vocabulary import Hint, Vocabulary
from orchestration.language.words import Token

_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?$")
JOINERS = frozenset({"og", "and", "samt", ","})


@dataclass(frozen=True, slots=True)
class Found:
    """One parameter that the words set. Without `value` the parameter is bound to a variable."""

    param: Param
    tokens: tuple[Token, ...]
    value: Value | None = None
    result: tuple[str, ...] = ()
    """Output fields, when the words name the result of an earlier step."""
    step: int = 0
    """The step named in "resultatet fra steg N"."""
    newest: bool = False
    """"den nye lydfilen": what the latest step made of it."""


@dataclass(slots=True)
class Cover:
    found: list[Found] = field(default_factory=list)
    left: list[Token] = field(default_factory=list)
    compounds: list[tuple[Token, str]] = field(default_factory=list)
    """Words of which only the last part was understood, with that part."""


def cover(tool: Tool, vocabulary: Vocabulary, tokens: list[Token], in_brackets: bool = False) -> Cover:
    """Explain `tokens` by the tool's own words."""
    return _Reader(tool, vocabulary, tokens, in_brackets).run()


def number_of(text: str, param: Param) -> Value | None:
    """ "-16", "1,5" → a number of the parameter's type."""
    if not _NUMBER.match(text):
        return None
    value = float(text.replace(",", "."))
    if param.type == "integer" and not value.is_integer():
        return None
    return int(value) if value.is_integer() else value


class _Reader:
    def __init__(self, tool: Tool, vocabulary: Vocabulary, tokens: list[Token], in_brackets: bool) -> None:
        self.tool = tool
        self.tokens = tokens
        self.keys = [token.key for token in tokens]
        self.hints = vocabulary.hints(tool.name)
        self.vocabulary = vocabulary
        self.in_brackets = in_brackets
        self.out = Cover()

    def run(self) -> Cover:
        index = 0
        while index < len(self.tokens):
            taken = self._named_result(index) or self._number(index) or self._text(index) or self._hint(index)
            taken = taken or self._result(index) or self._compound(index)
            taken = taken or self._filler(index)
            if not taken:
                self.out.left.append(self.tokens[index])
            index += taken or 1
        return self.out

    def _filler(self, index: int) -> int:
        if self.keys[index] in JOINERS:
            return 1
        at_most = packs.fixed("words", "at_most").longest(self.keys, index)
        after = index + len(at_most.phrase) if at_most else len(self.tokens)
        if after < len(self.tokens) and self.tokens[after].kind == "number":
            return after - index
        entry = packs.fixed("words", "stop").longest(self.keys, index)
        return len(entry.phrase) if entry else 0

    def _add(self, index: int, length: int, found: Found) -> int:
        self.out.found.append(found)
        return length

    def _tokens(self, index: int, length: int) -> tuple[Token, ...]:
        return tuple(self.tokens[index : index + length])

    def _named_result(self, index: int) -> int:
        """ "resultatet fra steg 2"."""
        entry = packs.fixed("words", "result").longest(self.keys, index)
        end = index + len(entry.phrase) if entry else 0
        if entry is None or end >= len(self.tokens) or not self.keys[end].isdigit():
            return 0
        param = self._bound_param()
        if param is None:
            return 0
        length = len(entry.phrase) + 1
        return self._add(index, length, Found(param, self._tokens(index, length), step=int(self.keys[end])))

    def _bound_param(self) -> Param | None:
        return next((param for param in self.tool.params if param.bind), None)

    def _number(self, index: int) -> int:
        """ "10 forslag", "-16 lufs", "maks 10"; in brackets a bare number when one parameter takes numbers."""
        slots = [param for param in self.tool.params if param.slot == "number"]
        for param in slots:
            for words in (param.units, param.hints):
                taken = self._number_by(index, param, {key for _, phrase in words for key in _forms(phrase)})
                if taken:
                    return taken
        bare = self.in_brackets and len(slots) == 1 and len(self.tokens) == 1
        value = number_of(self.keys[index], slots[0]) if bare else None
        return self._add(index, 1, Found(slots[0], self._tokens(index, 1), value)) if value is not None else 0

    def _number_by(self, index: int, param: Param, units: set[str]) -> int:
        if index + 1 >= len(self.tokens):
            return 0
        first, second = self.tokens[index], self.tokens[index + 1]
        if second.kind == "number" and first.key in units:
            first, second = second, first
        if first.kind != "number" or second.key not in units:
            return 0
        value = number_of(first.key, param)
        return self._add(index, 2, Found(param, self._tokens(index, 2), value)) if value is not None else 0

    def _text(self, index: int) -> int:
        """ "tema mørk", and in brackets the same with a quoted text."""
        if index + 1 >= len(self.tokens):
            return 0
        follows = self.tokens[index + 1]
        for param in self.tool.params:
            if param.slot != "text" or follows.key in packs.word_set("stop") or follows.key in JOINERS:
                continue
            words = {key for _, phrase in param.hints + param.units for key in _forms(phrase)}
            if self.keys[index] in words:
                value = follows.key if follows.kind == "quoted" else follows.text
                return self._add(index, 2, Found(param, self._tokens(index, 2), value))
        return 0

    def _hint(self, index: int) -> int:
        newest = self.keys[index] in packs.word_set("new") and index + 1 < len(self.tokens)
        start = index + newest
        hint = self._longest_hint(start)
        if hint is None or (newest and hint.value is not None):
            return 0
        length = len(hint.phrase)
        tokens = self._tokens(index, length + newest)
        fields = self._fields(start, length) if hint.value is None else ()
        value = _typed(hint)
        latest = newest and not fields and hint.param.type == "hash"
        return self._add(index, length + newest, Found(hint.param, tokens, value, fields, newest=latest))

    def _longest_hint(self, index: int) -> Hint | None:
        """In brackets a value is meant, in the sentence rather an object."""
        if index >= len(self.keys):
            return None
        best: Hint | None = None
        for hint in self.vocabulary.hints_starting(self.tool.name, self.keys[index]):
            if hint.param.slot and hint.value is None:
                continue
            end = index + len(hint.phrase)
            if end > len(self.keys) or any(self.keys[index + i] not in places for i, places in enumerate(hint.phrase)):
                continue
            if best is None or self._prefer(hint) > self._prefer(best):
                best = hint
        return best

    def _prefer(self, hint: Hint) -> tuple[int, bool]:
        return len(hint.phrase), (hint.value is not None) == self.in_brackets

    def _fields(self, index: int, length: int) -> tuple[str, ...]:
        """The output fields that the words name, if they name a result."""
        for phrase, fields in self.vocabulary.results_by_first.get(self.keys[index], ()):
            if len(phrase) == length and all(self.keys[index + i] in places for i, places in enumerate(phrase)):
                return fields
        return ()

    def _result(self, index: int) -> int:
        """A result word that is no hint of the tool still can be what it works on."""
        newest = self.keys[index] in packs.word_set("new")
        start = index + newest
        if start >= len(self.keys):
            return 0
        for phrase, fields in self.vocabulary.results_by_first.get(self.keys[start], ()):
            length = len(phrase)
            if start + length > len(self.keys):
                continue
            if all(self.keys[start + i] in places for i, places in enumerate(phrase)):
                param = next((item for item in self.tool.params if item.bind and _fits(item, fields)), None)
                if param is not None:
                    return self._add(
                        index, length + newest, Found(param, self._tokens(index, length + newest), None, fields)
                    )
        return 0

    def _compound(self, index: int) -> int:
        """ "styremøtet" is a "møte": read so, and said so."""
        key = self.keys[index]
        if self.tokens[index].kind != "word" or len(key) < 8:
            return 0
        for start in range(3, len(key) - 3):
            for hint in self.hints:
                if (
                    hint.value is None
                    and not hint.param.slot
                    and len(hint.phrase) == 1
                    and key[start:] in hint.phrase[0]
                ):
                    self.out.compounds.append((self.tokens[index], self.tokens[index].text[start:]))
                    return self._add(index, 1, Found(hint.param, self._tokens(index, 1)))
        return 0


def _fits(param: Param, fields: tuple[str, ...]) -> bool:
    """A result is a node or a file; a parameter for a certain kind of node, such as a conversation, takes no other."""
    return param.name in fields or (param.name == "node_id" and any(field.endswith("_node_id") for field in fields))


def _typed(hint: Hint) -> Value | None:
    if hint.value is None:
        return None
    if hint.param.type == "boolean":
        return hint.value != "false"
    if hint.param.type in NUMERIC:
        return number_of(hint.value, hint.param)
    return hint.value


def _forms(phrase: str) -> frozenset[str]:
    words = phrase.casefold().split()
    return packs.noun(words[0], "nb") if len(words) == 1 else frozenset()
