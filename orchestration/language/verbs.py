"""Which tool a phrase asks for. Verb and object are matched together, never the verb first.

"lag lyd av teksten", "lag tekst av lyden" and "lag sammendrag av møtet" share their verb: the noun decides. Every
alias is tried at every place, its words in order with room between them ("les sammendraget opp"), and the reading
that leaves the fewest words unexplained wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestration.language import packs
from orchestration.language.objects import JOINERS, Cover, cover
from orchestration.language.packs import Entry
from orchestration.language.vocabulary import WORK_ITEM, Vocabulary
from orchestration.language.words import Token

EXACT, LIGHT, PASSIVE, NOUN = 0, 1, 2, 3
_PASSIVE_ENDINGS = ("es", "s", "ast", "t", "et", "a", "ed")


@dataclass(slots=True)
class Candidate:
    """One way to read a phrase."""

    tool: str
    entry: Entry
    places: tuple[int, ...]
    kind: int
    gap: int
    """Content words between the words of the alias."""
    cover: Cover

    @property
    def left(self) -> list[Token]:
        return self.cover.left

    @property
    def rank(self) -> tuple[int, int, int, int]:
        return (len(self.left) + self.gap, self.gap, -len(self.places), self.kind)


def candidates(words: list[Token], vocabulary: Vocabulary) -> list[Candidate]:
    """All readings, best first; readings by a noun alone only when there is no other."""
    found = list(_matches(words, vocabulary)) or list(_passive_matches(words, vocabulary))
    if not found:
        found = list(_conversions(words, vocabulary))
    if not found:
        found = list(_noun_matches(words, vocabulary))
    unique = {(item.tool, item.places, item.kind): item for item in reversed(found)}
    return sorted(unique.values(), key=lambda item: (item.rank, item.tool, item.entry.base))


def best(words: list[Token], vocabulary: Vocabulary) -> list[Candidate]:
    """The best reading of each tool that none beats; more than one tool is an ambiguity."""
    ranked = candidates(words, vocabulary)
    if not ranked:
        return []
    tied = [item for item in ranked if item.rank == ranked[0].rank]
    return list({item.tool: item for item in reversed(tied)}.values())


def _matches(words: list[Token], vocabulary: Vocabulary) -> Iterator[Candidate]:
    keys = [word.key if word.kind == "word" else "\0" for word in words]
    light, begin = packs.light_verbs(), packs.begin_verbs()
    for index, key in enumerate(keys):
        for entry in vocabulary.aliases.starting(key):
            yield from _at(words, keys, index, entry, EXACT, vocabulary)
        if key in light:
            for entry in _light_entries(vocabulary):
                if key not in entry.phrase[0]:
                    yield from _at(words, keys, index, entry, LIGHT, vocabulary)
        if key not in _passed() and key not in begin:
            return  # a verb does not stand behind a word of its own


def _passive_matches(words: list[Token], vocabulary: Vocabulary) -> Iterator[Candidate]:
    """ "lydfilen transkriberes", "feeden skal oppdateres": the thing comes first, and nothing but it."""
    keys = [word.key if word.kind == "word" else "\0" for word in words]
    for index in range(1, len(keys)):
        for entry in vocabulary.aliases.starting(keys[index]):
            passive = keys[index] != entry.base[0] and keys[index].endswith(_PASSIVE_ENDINGS)
            places = _places(keys, index, entry, anywhere=True) if passive and entry.meaning != WORK_ITEM else None
            if places is not None:
                found = _candidate(words, places, entry, PASSIVE, vocabulary)
                if not any(word in words[:index] for word in found.left):
                    yield found


def _conversions(words: list[Token], vocabulary: Vocabulary) -> Iterator[Candidate]:
    """ "gjør om lyden til tekst" makes text of the sound: what it becomes decides, not what it was."""
    keys = [word.key for word in words]
    verb = packs.fixed("words", "convert").longest(keys, 0)
    place = next((i for i, key in enumerate(keys) if key in packs.word_set("into")), None)
    if verb is None or place is None or not len(verb.phrase) < place < len(words) - 1:
        return
    tail = list(range(place + 1, len(words)))
    middle = [
        index for index in range(len(verb.phrase), place) if keys[index] not in packs.word_set("convert") | {"om"}
    ]
    order = [*tail, *middle]
    turned = [words[index] for index in order]
    for found in [*_matches(turned, vocabulary), *_noun_matches(turned, vocabulary)]:
        if found.places[0] == 0:
            yield replace(found, places=tuple(order[index] for index in found.places), kind=NOUN)


def _light_entries(vocabulary: Vocabulary) -> list[Entry]:
    """Aliases that any verb of making may begin: "lag referat" is also "skriv referat"."""
    light, particles = packs.light_verbs(), packs.word_set("particles")
    return [
        entry
        for entry in vocabulary.aliases.entries
        if entry.base[0] in light and len(entry.base) > 1 and entry.base[1] not in particles
    ]


def _passed() -> frozenset[str]:
    """Words that may stand before the verb."""
    return packs.word_set("stop") | JOINERS | {"så", "then", "deretter"}


def _at(
    words: list[Token], keys: list[str], index: int, entry: Entry, kind: int, vocabulary: Vocabulary
) -> Iterator[Candidate]:
    places = _places(keys, index, entry)
    if places is not None:
        yield _candidate(words, places, entry, kind, vocabulary)


def _places(keys: list[str], index: int, entry: Entry, anywhere: bool = False) -> tuple[int, ...] | None:
    """Where the alias's words stand, the first at `index`, the others in order after it, or anywhere."""
    places = [index]
    for forms in entry.phrase[1:]:
        following = next((i for i in range(places[-1] + 1, len(keys)) if keys[i] in forms), None)
        if following is None and anywhere:
            following = next((i for i in range(index) if keys[i] in forms and i not in places), None)
        if following is None:
            return None
        places.append(following)
    return tuple(places)


def _candidate(
    words: list[Token], places: tuple[int, ...], entry: Entry, kind: int, vocabulary: Vocabulary
) -> Candidate:
    taken = set(places) | _adjectives(words, places) | _before(words, places, kind)
    rest = [word for index, word in enumerate(words) if index not in taken]
    found = cover(vocabulary.tools[entry.meaning], vocabulary, rest) if entry.meaning != WORK_ITEM else Cover()
    if found.left and len(words) > 2:
        _drop_siblings(found, words, entry.meaning, vocabulary)
    return Candidate(entry.meaning, entry, places, kind, _gap(words, places, entry), found)


def _before(words: list[Token], places: tuple[int, ...], kind: int) -> set[int]:
    """Before a verb stand only words that say nothing; before a lone noun stand its adjectives too."""
    if kind == PASSIVE:
        return set()
    if kind != NOUN:
        return set(range(places[0]))
    return {index for index in range(places[0]) if words[index].key in packs.light_verbs() | packs.word_set("new")}


def _drop_siblings(found: Cover, words: list[Token], tool: str, vocabulary: Vocabulary) -> None:
    """ "rens og normaliser lyden": two verbs of one tool are one action."""
    keys = [word.key if word.kind == "word" else "\0" for word in words]
    for word in list(found.left):
        index = words.index(word)
        for entry in vocabulary.aliases.starting(word.key):
            if entry.meaning == tool and _places(keys, index, entry) is not None and word in found.left:
                found.left.remove(word)


def _adjectives(words: list[Token], places: tuple[int, ...]) -> set[int]:
    """ "lag en ny feed": the adjective goes with the alias's own noun."""
    later = set(places[1:])
    return {index for index, word in enumerate(words) if index + 1 in later and word.key in packs.word_set("new")}


def _gap(words: list[Token], places: tuple[int, ...], entry: Entry) -> int:
    """A particle may stand anywhere after its verb; a noun far from its verb is probably another phrase's."""
    skipped = packs.word_set("stop") | packs.word_set("new")
    particles = packs.word_set("particles")
    gap = 0
    for position in range(1, len(places)):
        if entry.base[position] not in particles:
            between = words[places[position - 1] + 1 : places[position]]
            gap += sum(1 for word in between if word.key not in skipped and word.key not in JOINERS)
    return gap


def _noun_matches(words: list[Token], vocabulary: Vocabulary) -> Iterator[Candidate]:
    """ "rss-feed", "sammendrag av møtet": the verb of making or updating was left out."""
    keys = [word.key if word.kind == "word" else "\0" for word in words]
    passed = _passed() | packs.word_set("new") | packs.light_verbs()
    start = next((index for index, key in enumerate(keys) if key not in passed), None)
    if start is None:
        return
    for index in range(start, min(start + 4, len(keys))):
        for entry in vocabulary.noun_aliases.at(keys, index):
            found = _candidate(words, tuple(range(index, index + len(entry.phrase))), entry, NOUN, vocabulary)
            adjectives = entry.meaning != WORK_ITEM or index == start
            if adjectives and not any(word in words[:index] for word in found.left):
                yield found
