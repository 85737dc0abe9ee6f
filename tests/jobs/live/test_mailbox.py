"""A mailbox holds the newest state of each row, and says only what the browser does not know."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from jobs.live.mailbox import Mailbox, Viewer


def take(mailbox: Mailbox):
    return asyncio.run(asyncio.wait_for(mailbox.take(), 1))


def make_mailbox() -> Mailbox:
    return Mailbox(Viewer(1, False, frozenset({"job"})))


def test_only_the_newest_state_is_kept_and_only_differences_are_said():
    mailbox, job = make_mailbox(), uuid4()
    mailbox.watch({"job": frozenset({job})}, frozenset())
    mailbox.offer("job", job, {"state": "pending", "priority": 5})
    mailbox.offer("job", job, {"state": "running", "priority": 5})
    assert take(mailbox).changes == ((("job", job), {"state": "running", "priority": 5}),)

    mailbox.offer("job", job, {"state": "succeeded", "priority": 5})
    assert take(mailbox).changes == ((("job", job), {"state": "succeeded"}),)


def test_a_change_that_came_back_says_nothing():
    mailbox, job = make_mailbox(), uuid4()
    mailbox.watch({"job": frozenset({job})}, frozenset())
    mailbox.offer("job", job, {"state": "pending"})
    take(mailbox)
    mailbox.offer("job", job, {"state": "pending"})
    mailbox.offer_other("job")
    batch = take(mailbox)
    assert batch.changes == ()
    assert batch.others == {"job"}


def test_a_resync_replaces_what_waits_and_forgets_what_was_said():
    mailbox, job = make_mailbox(), uuid4()
    mailbox.watch({"job": frozenset({job})}, frozenset())
    mailbox.offer("job", job, {"state": "pending"})
    take(mailbox)
    mailbox.deafen()
    mailbox.resync()
    batch = take(mailbox)
    assert (batch.resync, batch.deaf, batch.changes) == (True, False, ())
    mailbox.offer("job", job, {"state": "pending"})
    assert take(mailbox).changes == ((("job", job), {"state": "pending"}),)


def test_what_is_no_longer_watched_is_not_said():
    mailbox, old, new = make_mailbox(), uuid4(), uuid4()
    mailbox.watch({"job": frozenset({old})}, frozenset())
    mailbox.offer("job", old, {"state": "pending"})
    mailbox.watch({"job": frozenset({new})}, frozenset())
    mailbox.offer("job", new, {"state": "running"})
    assert [key for key, _ in take(mailbox).changes] == [("job", new)]
