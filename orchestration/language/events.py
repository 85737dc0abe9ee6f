"""What a NÅR line means.

The whole phrase decides: an event is meant when one of its nouns and one of its states stand in the phrase and every
other word is a filler. So "lagt ut" is never half read as "lagt", and a cue word of one event in a sentence about
another decides nothing.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from functools import cache

from orchestration.language import clock, packs
from orchestration.language.diagnostics import MAYBE, Edit, Note, Reporter, Suggestion
from orchestration.language.plan import Condition, Schedule
from orchestration.language.source import Span
from orchestration.language.suggest import closest
from orchestration.language.words import Token, say, span_of, tokenize

_CRON = re.compile(r"^[0-9*,/-]+( [0-9*,/A-Za-z-]+){4}$")
MAX_MISSPELT = 3
_WEAK_STATES = frozenset({"ny", "nytt", "nye", "new"})


@dataclass(frozen=True, slots=True)
class Trigger:
    event: str
    implied: tuple[Condition, ...] = ()
    schedule: Schedule | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that {event.…} may have."""
        return packs.events()["clock" if self.schedule else self.event].variables


@dataclass(slots=True)
class _Cover:
    event: str
    nouns: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    left: list[Token] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return bool(self.nouns and self.states)

    @property
    def rank(self) -> tuple[int, bool, bool, int]:
        weak = all(state in _WEAK_STATES for state in self.states)
        return (len(self.left), not self.complete, weak, -len(self.nouns) - len(self.states))


def words_of(tokens: list[Token]) -> list[Token]:
    """Only the words: marks are dropped, and a quoted name ("Kjør") is read like any other word."""
    found: list[Token] = []
    for token in tokens:
        if token.kind == "quoted":
            inner = [part for part in tokenize(token.key, token.span.line) if part.kind == "word"]
            found += [Token("word", part.text, part.key, token.span) for part in inner]
        elif token.kind != "mark":
            found.append(token)
    return found


def matches(tokens: list[Token]) -> bool:
    """Whether the tokens, without NÅR, are a whole event phrase."""
    if _technical(tokens) is not None or clock.is_clock(tokens):
        return True
    words = words_of(tokens)
    return bool(words) and (_idiom(words) is not None or (len(_best(words)) == 1 and not _best(words)[0].left))


def resolve(tokens: list[Token], keyword: Span, reporter: Reporter) -> Trigger | None:
    """The trigger, or None with the reason reported."""
    words = words_of(tokens)
    if not words:
        reporter.report("ORK-107", keyword, {"phrase": "", "allowed": _examples()})
        return None
    technical = _technical(tokens)
    if technical is not None:
        return technical
    idiom = _idiom(words)
    if idiom is not None:
        return Trigger(idiom)
    best = _best(words)
    if clock.is_clock(tokens) and (not best or best[0].left or not best[0].complete):
        schedule = clock.parse(tokens, reporter)
        return Trigger("scheduled.due", schedule=schedule) if schedule else None
    if len(best) > 1 and not best[0].left and best[0].complete:
        names = tuple(packs.printing("nb")["events"][cover.event] for cover in best)
        reporter.report("ORK-106", span_of(words), {"phrase": say(words), "allowed": names})
        return None
    if best and not best[0].left and best[0].complete:
        _warn_of_compounds(words, reporter)
        return _trigger(best[0])
    return _explain(words, best, reporter)


def _warn_of_compounds(words: list[Token], reporter: Reporter) -> None:
    """The first part of a compound selects nothing, and its author may think that it does."""
    every = frozenset(entry.meaning for entry in packs.nouns().entries)
    for word in words:
        entry = None if packs.nouns().longest([word.key], 0) or word.key in _fillers() else _compound(word.key, every)
        if entry and not packs.fixed("states").longest([word.key], 0):
            rest = next(word.text[i:] for i in range(len(word.key)) if word.key[i:] in entry.phrase[0])
            fix = Suggestion(rest, MAYBE, (Edit(word.span, rest),))
            reporter.report("ORK-120", word.span, {"word": word.text, "read": rest}, (fix,), _notes(word))


def _trigger(cover: _Cover) -> Trigger:
    implies = packs.events()[cover.event].implies
    found = [Condition(*next(iter(implies[noun].items()))) for noun in cover.nouns if noun in implies]
    return Trigger(cover.event, tuple(dict.fromkeys(found)))


def _technical(tokens: list[Token]) -> Trigger | None:
    """`communication.ended`, `innspilling.avsluttet`, `tidspunkt.nådd("0 8 * * 1", "Europe/Oslo")`."""
    plain = [token for token in tokens if token.kind in ("word", "mark") and token.text not in "(),"]
    quoted = [token.key for token in tokens if token.kind == "quoted"]
    said = "".join(token.key for token in plain).rstrip(".:")
    for name, event in packs.events().items():
        if name != "clock" and said in (name, event.technical):
            if not quoted:
                return Trigger(name) if "." in said or len(plain) == 1 else None
            if name == "scheduled.due" and len(quoted) <= 2 and _CRON.match(quoted[0]):
                return Trigger(name, schedule=Schedule(*quoted))
    return None


def _idiom(words: list[Token]) -> str | None:
    keys = tuple(word.key for word in words)
    for entry in packs.fixed("idioms").at(list(keys), 0):
        if len(entry.base) == len(keys):
            return entry.meaning
    return None


def _best(words: list[Token]) -> list[_Cover]:
    """The readings that leave fewest words over."""
    covers = [_cover(name, words) for name in packs.events() if name != "clock"]
    covers = [cover for cover in covers if cover.nouns or cover.states]
    covers.sort(key=lambda cover: cover.rank)
    return [cover for cover in covers if cover.rank[:3] == covers[0].rank[:3]]


def _cover(name: str, words: list[Token]) -> _Cover:
    best = _Cover(name, left=list(words))
    for nouns, states in packs.events()[name].pairs:
        cover = _cover_pair(name, nouns, states, words)
        if cover.rank < best.rank:
            best = cover
    return best


def _cover_pair(name: str, nouns: frozenset[str], states: frozenset[str], words: list[Token]) -> _Cover:
    cover, index = _Cover(name), 0
    keys = [word.key for word in words]
    while index < len(keys):
        state = next((entry for entry in packs.fixed("states").at(keys, index) if entry.meaning in states), None)
        noun = next((entry for entry in packs.nouns().at(keys, index) if entry.meaning in nouns), None)
        noun = noun or _compound(keys[index], nouns)
        if noun and (state is None or len(noun.phrase) > len(state.phrase)):
            cover.nouns.append(noun.meaning)
            index += len(noun.phrase)
        elif state:
            cover.states.append(" ".join(state.base))
            index += len(state.phrase)
        else:
            if keys[index] not in _fillers():
                cover.left.append(words[index])
            index += 1
    return cover


def _compound(key: str, nouns: frozenset[str]) -> packs.Entry | None:
    """ "podcastinnspillinga", "styremøtet": Norwegian makes new nouns all day; the last part says what it is."""
    for start in range(3, len(key) - 4):
        entry = next((entry for entry in packs.nouns().at([key[start:]], 0) if entry.meaning in nouns), None)
        if entry and len(entry.base) == 1 and not packs.nouns().longest([key], 0):
            return entry
    return None


@cache
def _fillers() -> frozenset[str]:
    return packs.word_set("stop") | packs.word_set("scene")


@cache
def _known() -> list[str]:
    """Every word that an event phrase may hold."""
    states = {word for entry in packs.fixed("states").entries for word in entry.base}
    nouns = {form for entry in packs.nouns().entries for form in entry.phrase[-1]}
    return sorted(states | nouns)


@cache
def _limiting() -> frozenset[str]:
    return packs.word_set("negation") | packs.word_set("limits") | packs.word_set("doubt")


def _examples() -> tuple[str, ...]:
    events = packs.printing("nb")["events"]
    return (f"NÅR {events['communication.ended']}", f"NÅR {events['node.published']}", "NÅR hver mandag kl. 8")


def _explain(words: list[Token], best: list[_Cover], reporter: Reporter) -> Trigger | None:
    """Report the first thing that was not understood, and go on with what was."""
    limiting = next((word for word in words if word.key in _limiting()), None)
    if limiting is not None:
        reporter.report("ORK-110", limiting.span, {"phrase": limiting.text})
        return None
    cover = best[0] if best else None
    corrected = _correct(words)
    if corrected is not None:
        trigger, right = corrected
        for word, texts in right:
            _report_misspelt(word, texts, reporter)
        return trigger
    if cover and cover.complete:
        word = cover.left[0]
        reporter.report("ORK-105", word.span, {"word": word.text, "allowed": _examples()[:1]}, (), _notes(word))
        return Trigger(cover.event)
    allowed = _suggested(cover)
    place = span_of(words)
    fixes = tuple(Suggestion(text, MAYBE, (Edit(place, text),)) for text in allowed if cover and not cover.left)
    reporter.report("ORK-107", place, {"phrase": say(words), "allowed": allowed or _examples()}, fixes)
    return None


def _suggested(cover: _Cover | None) -> tuple[str, ...]:
    """ "NÅR innspilling": the events that the noun takes part in."""
    if cover is None or not cover.nouns:
        return ()
    pairs = {name: event.pairs for name, event in packs.events().items()}
    names = [name for name, found in pairs.items() if any(cover.nouns[0] in nouns for nouns, _ in found)]
    return tuple(packs.printing("nb")["events"][name] for name in names)[:3]


def _notes(word: Token) -> tuple[Note, ...]:
    whole = packs.nouns("conditions.has_trait")
    parts = [word.key, *(word.key[:end] for end in range(4, len(word.key)))]
    entry = next((found for part in parts if (found := whole.longest([part], 0))), None)
    return (Note("belongs_in_if", {"phrase": f"samling har {entry.base[0]}"}),) if entry else ()


def _report_misspelt(word: Token, texts: list[str], reporter: Reporter) -> None:
    fixes = tuple(Suggestion(text, MAYBE, (Edit(word.span, text),)) for text in texts)
    reporter.report("ORK-105", word.span, {"word": word.text, "allowed": _examples()[:1]}, fixes)


def _correct(words: list[Token]) -> tuple[Trigger, list[tuple[Token, list[str]]]] | None:
    """The event that the phrase names when misspelt words are put right, and what each may be; None when no
    correction makes a whole phrase: a word is no misspelling for being like one."""
    wrong = [word for word in words if word.key not in _fillers() and word.key not in _known_set()]
    choices = [closest(word.key, _known()) for word in wrong]
    if not wrong or len(wrong) > MAX_MISSPELT or not all(choices):
        return None
    right: dict[int, list[str]] = {}
    trigger: Trigger | None = None
    for chosen in itertools.product(*choices):
        keys = dict(zip((word.span for word in wrong), chosen, strict=True))
        best = _best([replace(word, key=keys.get(word.span, word.key)) for word in words])
        if best and best[0].complete and not best[0].left:
            trigger = trigger or _trigger(best[0])
            for index, text in enumerate(chosen):
                if text not in right.setdefault(index, []):
                    right[index].append(text)
    return (trigger, [(word, right[index]) for index, word in enumerate(wrong)]) if trigger else None


@cache
def _known_set() -> frozenset[str]:
    return frozenset(_known())
