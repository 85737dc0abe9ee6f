"""The consumer of the outbox: reads events, starts the recipes that wait for them, marks the events done.

There is no cursor over ids: an event whose transaction commits late would be skipped by one. One consumer works at a
time, under a lock that ends with its transaction; runs, their first jobs and `done_at` commit together.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction

from jobs.preparing import preparing_cursor
from orchestration import withdrawals
from orchestration.cascade import CASCADE
from orchestration.conditions import Facts, Subject
from orchestration.event_values import Event, Occasion, event_extra, variables
from orchestration.facts import read_facts, read_traits, subject
from orchestration.ledger import Ledger
from orchestration.library import Candidate, candidates_for, loop_reason, read_recipes
from orchestration.matching import Matcher
from orchestration.planning import without_jit
from orchestration.run_state import NewRun
from orchestration.runs import start_runs
from orchestration.states import LogStatus, Reason
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load

logger = logging.getLogger(__name__)

BATCH = 500
LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('synops.outbox'))"


@dataclass(frozen=True)
class Consumed:
    """What one pass did. `busy`: another consumer was at work. `full`: there may be more to read at once."""

    events: int = 0
    runs: tuple[UUID, ...] = ()
    busy: bool = False
    full: bool = False


def consume(limit: int = BATCH) -> Consumed:
    """Handle up to `limit` events. If the batch fails, its events are handled one by one, and one that fails alone is
    set aside with an error in the log: a single event can't stop all recipes."""
    try:
        return _consume(limit)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("a batch of events failed; they are handled one by one")
    return _consume_singly(limit)


def _consume(limit: int) -> Consumed:
    with transaction.atomic(), preparing_cursor() as cursor:
        if not _lock(cursor):
            return Consumed(busy=True)
        events = _take(cursor, limit)
        if not events:
            return Consumed()
        runs = handle(cursor, events)
        _done(cursor, events)
    return Consumed(len(events), tuple(runs), full=len(events) == limit)


def _consume_singly(limit: int) -> Consumed:
    runs: list[UUID] = []
    with transaction.atomic(), connection.cursor() as cursor:
        if not _lock(cursor):
            return Consumed(busy=True)
        events = _take(cursor, limit)
        for event in events:
            runs += _handle_alone(cursor, event)
        _done(cursor, events)
    return Consumed(len(events), tuple(runs), full=len(events) == limit)


def _handle_alone(cursor: Cursor, event: Event) -> list[UUID]:
    try:
        with transaction.atomic():
            return handle(cursor, [event])
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("event %s (%s) is set aside: it could not be handled", event.id, event.name)
        return []


def _lock(cursor: Cursor) -> bool:
    cursor.execute(LOCK)
    return bool((cursor.fetchone() or [False])[0])


def _take(cursor: Cursor, limit: int) -> list[Event]:
    without_jit(cursor)
    parameters = {"limit": limit, "settle": settings.EVENT_SETTLE_SECONDS}
    cursor.execute(load("orchestration.sql", "take_events"), parameters)
    return [Event.from_row(*row) for row in cursor.fetchall()]


def _done(cursor: Cursor, events: Sequence[Event]) -> None:
    cursor.execute(
        "UPDATE graph_events SET done_at = now() WHERE id = ANY(%(ids)s::bigint[])",
        {"ids": [event.id for event in events]},
    )


def handle(cursor: Cursor, events: Sequence[Event]) -> list[UUID]:
    """Start the recipes of these events, in the caller's transaction; the ids of the runs."""
    if not events:
        return []
    withdrawals.follow(cursor, events)
    asked = candidates_for(cursor, {event.name for event in events})
    if not asked:
        return []
    found = Surroundings(cursor, events)
    matcher = Matcher(asked)
    ledger = Ledger()
    starts = [
        (event, candidate, collection)
        for event in events
        for candidate, collection in matcher.starts(event.name, event.id, found.subjects(event))
        if _may_follow(ledger, event, candidate)
    ]
    _remember_refusals(cursor, matcher)
    ledger.write(cursor)
    return start_runs(cursor, _new_runs(cursor, found, starts))


def _may_follow(ledger: Ledger, event: Event, candidate: Candidate) -> bool:
    """An event that a run caused carries the run's chain; without it a loop over events would never end."""
    reason = loop_reason(candidate.id, event.chain)
    if reason != Reason.NONE:
        result = {"target": str(candidate.id), "event_id": event.id}
        ledger.log(
            None,
            tool_binary=CASCADE,
            status=LogStatus.SKIPPED,
            reason=reason,
            result=result,
            orchestration_id=candidate.id,
        )
    return reason == Reason.NONE


def _remember_refusals(cursor: Cursor, matcher: Matcher) -> None:
    rows = [
        {"orchestration": str(id), "reason": reason.value, "times": tally.times, "event": tally.last_event}
        for id, reason, tally in matcher.refusals()
    ]
    if rows:
        cursor.execute(load("orchestration.sql", "considered"), {"rows": dumps(rows)})


def _new_runs(
    cursor: Cursor, found: Surroundings, starts: Sequence[tuple[Event, Candidate, UUID | None]]
) -> list[NewRun]:
    recipes = read_recipes(cursor, {candidate.id for _, candidate, _ in starts}) if starts else {}
    return [
        NewRun(
            recipe=recipes[candidate.id],
            # Every job has a collection; one of a node that is in none is the system's own.
            collection_id=collection or SYSTEM_COLLECTION_ID,
            trigger_event=event.name,
            op=event.op,
            variables={"event": variables(found.occasion(event, collection))},
            node_id=event.node_id,
            chain=event.chain,
            event_id=event.id,
        )
        for event, candidate, collection in starts
        if candidate.id in recipes
    ]


class Surroundings:
    """The nodes of a batch of events, and the collections that they are in."""

    def __init__(self, cursor: Cursor, events: Sequence[Event]) -> None:
        wanted = [id for event in events for id in (event.node_id, event.target_id) if id]
        self._facts = read_facts(cursor, wanted)
        homes = {home for facts in self._facts.values() for home in facts.homes}
        self._traits = read_traits(cursor, homes | {id for event in events if (id := event.published_in)})

    def subjects(self, event: Event) -> list[tuple[UUID | None, Subject]]:
        """The event's node as seen from each of its collections; none when the node is gone."""
        facts = self._facts.get(event.node_id) if event.node_id else None
        if facts is None:
            return []
        return [(home, subject(facts, self._traits, home)) for home in self.homes(event, facts)]

    def homes(self, event: Event, facts: Facts) -> Sequence[UUID | None]:
        """The collections of an event: the one published in, the node's, or for an edge from a node without, its target's."""
        if event.published_in in self._traits:
            return [event.published_in]
        far = self._facts.get(event.target_id) if event.target_id else None
        return facts.homes or (far.homes if far else ()) or [None]

    def occasion(self, event: Event, collection: UUID | None) -> Occasion:
        """What the event's variables are made of."""
        assert event.node_id is not None  # noqa: S101 (a subject had one)
        return Occasion(event.name, self._facts[event.node_id], collection, event_extra(event))
