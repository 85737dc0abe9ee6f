"""A mailbox holds the newest state of each row, and says only what the browser does not know."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

from jobs.live.mailbox import Batch, Mailbox, Viewer
from jobs.live.state import State


def take(mailbox: Mailbox) -> Batch:
    return asyncio.run(asyncio.wait_for(mailbox.take(), 1))


def offer(mailbox: Mailbox, job: UUID, **fields: Any) -> None:
    mailbox.offer(State("job", job, fields))


def fields_of(batch: Batch) -> list[dict[str, Any]]:
    return [json.loads(change)["fields"] for change in batch.changes]


def make_mailbox() -> Mailbox:
    return Mailbox(Viewer(1, False, frozenset({"job"})), "session")


def test_only_the_newest_state_is_kept_and_only_differences_are_said():
    mailbox, job = make_mailbox(), uuid4()
    mailbox.watch({"job": frozenset({job})}, frozenset())
    offer(mailbox, job, state="pending", priority=5)
    offer(mailbox, job, state="running", priority=5)
    assert fields_of(take(mailbox)) == [{"state": "running", "priority": 5}]

    offer(mailbox, job, state="succeeded", priority=5)
    assert fields_of(take(mailbox)) == [{"state": "succeeded"}]


def test_a_change_that_came_back_says_nothing():
    mailbox, job = make_mailbox(), uuid4()
    mailbox.watch({"job": frozenset({job})}, frozenset())
    offer(mailbox, job, state="pending")
    take(mailbox)
    offer(mailbox, job, state="pending")
    mailbox.offer_other("job")
    batch = take(mailbox)
    assert batch.changes == ()
    assert batch.others == {"job"}


def test_a_resync_replaces_what_waits_and_forgets_what_was_said():
    mailbox, job = make_mailbox(), uuid4()
    mailbox.watch({"job": frozenset({job})}, frozenset())
    offer(mailbox, job, state="pending")
    take(mailbox)
    mailbox.deafen()
    mailbox.resync()
    batch = take(mailbox)
    assert (batch.resync, batch.deaf, batch.changes) == (True, False, ())
    offer(mailbox, job, state="pending")
    assert fields_of(take(mailbox)) == [{"state": "pending"}]


def test_what_is_no_longer_watched_is_not_said():
    mailbox, old, new = make_mailbox(), uuid4(), uuid4()
    mailbox.watch({"job": frozenset({old})}, frozenset())
    offer(mailbox, old, state="pending")
    mailbox.watch({"job": frozenset({new})}, frozenset())
    offer(mailbox, new, state="running")
    assert [json.loads(change)["id"] for change in take(mailbox).changes] == [str(new)]


def test_browsers_that_know_different_things_of_a_row_are_told_different_things():
    job, at_first, later = uuid4(), make_mailbox(), make_mailbox()
    for mailbox in (at_first, later):
        mailbox.watch({"job": frozenset({job})}, frozenset())
    pending, running = (State("job", job, {"state": state, "priority": 5}) for state in ("pending", "running"))
    at_first.offer(pending)
    take(at_first)
    for mailbox in (at_first, later):
        mailbox.offer(running)
    assert fields_of(take(at_first)) == [{"state": "running"}]
    assert fields_of(take(later)) == [{"state": "running", "priority": 5}]
