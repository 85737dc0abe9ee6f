"""Which recipes an event starts. One matcher serves one batch of events and remembers what it has found out.

Most events of a batch are alike, and most recipes ask only what a node is like: a thousand recipes are then asked
once, not once per event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from orchestration.conditions import Subject
from orchestration.library import Candidate, verdict
from orchestration.states import Reason


@dataclass
class Tally:
    """How often, and at which event last, something was refused."""

    times: int = 0
    last_event: int = 0

    def add(self, event: int, times: int = 1) -> None:
        self.times += times
        self.last_event = max(self.last_event, event)


@dataclass
class Split:
    """What recipes say to one kind of subject: those that start, and those that refuse."""

    starts: list[Candidate] = field(default_factory=list)
    refused: list[tuple[Candidate, Reason]] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def put(self, candidate: Candidate, subject: Subject) -> None:
        reason = verdict(candidate, subject)
        if reason == Reason.NONE:
            self.starts.append(candidate)
        else:
            self.refused.append((candidate, reason))


class Matcher:
    """Asks the candidates of a batch."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._plain: dict[tuple[str, UUID | None], list[Candidate]] = defaultdict(list)
        self._looking: dict[tuple[str, UUID | None], list[Candidate]] = defaultdict(list)
        self._splits: dict[Hashable, Split] = {}
        self._single: list[Split] = []
        for candidate in candidates:
            if candidate.trigger is not None:
                kept = self._looking if candidate.looks_around else self._plain
                for collection in candidate.collections or [None]:
                    kept[candidate.trigger.event, collection].append(candidate)

    def starts(
        self, event: str, event_id: int, subjects: Sequence[tuple[UUID | None, Subject]]
    ) -> list[tuple[Candidate, UUID | None]]:
        """The recipes that the event starts, each once, in the first of the node's collections that it fits.

        `subjects` is the node as seen from each of its collections; [(None, …)] for one that is in none.
        """
        found: dict[UUID, tuple[Candidate, UUID | None]] = {}
        for collection, subject in subjects:
            for split in self._said(event, collection, subject):
                split.tally.add(event_id)
                for candidate in split.starts:
                    found.setdefault(candidate.id, (candidate, collection))
        return list(found.values())

    def refusals(self) -> Iterator[tuple[UUID, Reason, Tally]]:
        """Every refusal since the start, added up per recipe and reason."""
        sums: dict[tuple[UUID, Reason], Tally] = defaultdict(Tally)
        for split in (*self._splits.values(), *self._single):
            for candidate, reason in split.refused:
                sums[candidate.id, reason].add(split.tally.last_event, split.tally.times)
        return ((id, reason, tally) for (id, reason), tally in sums.items())

    def _said(self, event: str, collection: UUID | None, subject: Subject) -> Iterator[Split]:
        """What those of the collection say, and those that apply everywhere."""
        for scope in dict.fromkeys((collection, None)):
            if plain := self._plain.get((event, scope)):
                key = (event, scope, subject.likeness)
                if key not in self._splits:
                    self._splits[key] = _split(plain, subject)
                yield self._splits[key]
            if looking := self._looking.get((event, scope)):
                self._single.append(_split(looking, subject))
                yield self._single[-1]


def _split(candidates: Iterable[Candidate], subject: Subject) -> Split:
    split = Split()
    for candidate in candidates:
        split.put(candidate, subject)
    return split
