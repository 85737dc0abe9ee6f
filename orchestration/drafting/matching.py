"""A draft without a model: the text is cut at its joints, and each piece that the compiler understands becomes a line.

No understanding beyond the vocabulary: "transkriber lydfilen når møtet er slutt, og oppsummer det" has all its words
there. What is left over is named, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from orchestration.language import Vocabulary, compile_recipe, packs
from orchestration.language.verbs import NOUN, candidates
from orchestration.language.words import tokenize

MAX_CHARACTERS = 4_000
MAX_PIECES = 40
MAX_DROPPED = 8
"""Words before and after an action that are passed over: "jeg vil gjerne at du …"."""

MANUAL = {"nb": "jeg trykker Kjør", "nn": "eg trykkjer Køyr", "en": "I press Run"}
WHEN = {"nb": "NÅR", "nn": "NÅR", "en": "WHEN"}
IF = {"nb": "HVIS", "nn": "VISS", "en": "IF"}
TASK = 'opprett oppgave "x"'
"""A step that every vocabulary has, so that a header can be tried by itself."""

_QUOTE = r"\"[^\"\n]*\"|«[^»\n]*»|“[^”\n]*”"
_WORDS = r"når|naar|hvis|viss|dersom|så|deretter|og|eller|men|when|if|then|and|ved feil|on error"
_STOP = r"(?<!\bkl)(?<!\d)\.(?=\s|$)"
# "kl. 8" and "den 1. hver måned" end no sentence.
_JOINT = re.compile(
    rf"(?P<quote>{_QUOTE})|(?P<end>\n|{_STOP}|[;,:!?]+(?=\s|$))|(?<!\w)(?P<word>{_WORDS})(?!\w)", re.IGNORECASE
)
_EVENT = ("når", "naar", "when")
_CONDITION = ("hvis", "viss", "dersom", "if")
_AND = ("og", "and", "men")
_FALLBACK = ("ved feil", "on error")
_NOUN_OF_VERB = ("ing", "inga", "ingen")
"""“klar for publisering” wishes for nothing to be published."""
_CLOCK = re.compile(r"\b(hver|hvert|kvar|kvart|every|each)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """A stretch between two joints; `after` is the joining word before it, in lower case."""

    text: str
    after: str = ""


@dataclass
class Matched:
    """What the text came to."""

    script: str
    not_understood: list[str] = field(default_factory=list)
    assumed_manual: bool = False


def match(wish: str, words: Vocabulary, language: str, *, keep_unknown: bool = False) -> Matched:
    """Put a script together from what the vocabulary knows of the text. It may have no steps.

    `keep_unknown`: what was not understood stands in its place as a step, for a person to see what is missing.
    """
    return _Matcher(words, language, keep_unknown).run(pieces(wish))


def pieces(text: str) -> list[Piece]:
    """Cut at ends of sentences, commas and joining words; never inside quotation marks."""
    found, begun, after, at = list[Piece](), "", "", 0
    for joint in _JOINT.finditer(text[:MAX_CHARACTERS]):
        begun += text[at : joint.start()]
        at = joint.end()
        if joint["quote"]:
            begun += joint.group()
            continue
        _keep(found, begun, after)
        begun, after = "", (joint["word"] or "").lower() or ("" if begun.strip() else after)
    _keep(found, begun + text[at:MAX_CHARACTERS], after)
    return found[:MAX_PIECES]


def _keep(found: list[Piece], text: str, after: str) -> None:
    said = " ".join(text.split()).strip("-–*• ")
    if said:
        found.append(Piece(said, after))


class _Matcher:
    def __init__(self, words: Vocabulary, language: str, keep_unknown: bool) -> None:
        self.words = words
        self.keep_unknown = keep_unknown
        self.language = language if language in WHEN else "nb"
        self.event = ""
        self.conditions: list[str] = []
        self.steps: list[str] = []
        """Those that compile."""
        self.lines: list[str] = []
        """Steps as they are written."""
        self.failure = ""
        self.left: list[str] = []
        self.ahead: list[Piece] = []

    def run(self, found: list[Piece]) -> Matched:
        rest = [piece for piece in joined(found) if not self._header(piece)]
        assumed = not self.event
        self.event = self.event or MANUAL[self.language]
        for piece in [*self.ahead, *rest]:
            self._action(piece)
        return Matched(self._script(), self.left, assumed)

    def _header(self, piece: Piece) -> bool:
        """Whether it names the event, a time, or a condition."""
        if not self.event and (piece.after in _EVENT or _CLOCK.search(piece.text)):
            self.event = next((text for text in shorter(piece.text) if self._compiles(text)), "")
            if self.event:
                self._rest_of(piece)
                return True
        is_condition = self._may_be_condition(piece) and self._compiles(
            self.event or MANUAL[self.language], condition=piece.text
        )
        self.conditions += [piece.text] if is_condition else []
        return is_condition

    def _may_be_condition(self, piece: Piece) -> bool:
        return piece.after in _CONDITION or (piece.after in _AND and bool(self.event))

    def _rest_of(self, piece: Piece) -> None:
        """ "hver mandag kl. 8 skal feeden oppdateres": the sentence goes on behind its time."""
        rest = piece.text.partition(self.event)[2].strip()
        if rest:
            self.ahead.append(Piece(rest))

    def _action(self, piece: Piece) -> None:
        action = next((text for text in shorter(piece.text) if self._is_step(text)), "")
        if not action:
            self.left.append(piece.text)
            self.lines += [piece.text] if self.keep_unknown else []
        elif piece.after in _FALLBACK:
            self.failure = action
        else:
            self.steps.append(action)
            self.lines.append(action)

    def _is_step(self, text: str) -> bool:
        """Whether it says what to do: a noun alone is enough for a recipe's line, but not in the middle of prose."""
        words = [token for token in tokenize(text, 1) if token.kind != "mark"]
        found = next(iter(candidates(words, self.words)), None)
        if found is None or found.kind == NOUN:
            return False
        lone_noun = words[found.places[0]].key.endswith(_NOUN_OF_VERB) and not found.cover.found
        return not lone_noun and self._compiles(self.event, step=text)

    def _compiles(self, event: str, *, condition: str = "", step: str = TASK) -> bool:
        """Whether this event, with that condition or as the trigger of that step after the steps so far, is right."""
        header = [f"{WHEN[self.language]} {event}"] + ([f"{IF[self.language]} {condition}"] if condition else [])
        steps = [*self.steps, step]
        text = "\n".join([*header, "", *(f"{number}. {said}" for number, said in enumerate(steps, 1))])
        found = compile_recipe(text, self.words)
        return found.plan is not None and not any(item.code in _DOUBTFUL for item in found.warnings)

    def _script(self) -> str:
        """What was left over stands above as remarks: a condition that was not understood must not just be gone."""
        left = [] if self.keep_unknown else self.left
        lines = [_("# not understood: %(what)s") % {"what": said} for said in left]
        lines += [f"{WHEN[self.language]} {self.event}"]
        lines += [f"{IF[self.language]} {said}" for said in self.conditions]
        lines += ["", *(f"{number}. {said}" for number, said in enumerate(self.lines, 1))]
        if self.failure:
            lines += ["", f"{'on error' if self.language == 'en' else 'ved feil'}: {self.failure}"]
        return "\n".join(lines) + "\n"


_DOUBTFUL = frozenset({"ORK-410"})
"""Words that the step passed over: a piece with such is tried shorter before it is taken."""


def joined(found: list[Piece]) -> list[Piece]:
    """A condition that "og" cut in two is one again: "hvis samlingen har podkast og lyd"."""
    out: list[Piece] = []
    for piece in found:
        if (
            out
            and piece.after in ("og", "and", "eller")
            and out[-1].after in _CONDITION
            and len(piece.text.split()) <= 2
        ):
            out[-1] = Piece(f"{out[-1].text} {piece.after} {piece.text}", out[-1].after)
        else:
            out.append(piece)
    return out


def shorter(text: str) -> Iterator[str]:
    """The text, then with fewer words: first without its beginning, then without its end.

    Never without a word that turns a sentence round ("ikke", "bare", "kanskje"): what is left would say another thing.
    """
    said = text.split()
    for drop in range(min(len(said), MAX_DROPPED + 1)):
        if not changes_meaning(" ".join(said[:drop])):
            yield " ".join(said[drop:])
    for drop in range(1, min(len(said), MAX_DROPPED + 1)):
        if not changes_meaning(" ".join(said[len(said) - drop :])):
            yield " ".join(said[: len(said) - drop])


def changes_meaning(text: str) -> bool:
    """Whether a negation, a limit, a wait or a doubt stands in these words."""
    keys = [token.key for token in tokenize(text, 1)]
    tables = [packs.fixed("words", name) for name in ("negation", "limits", "waiting", "doubt")]
    return any(table.longest(keys, index) for table in tables for index in range(len(keys)))
