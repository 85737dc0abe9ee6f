"""What NOTIFY carries: every id, in payloads that PostgreSQL accepts."""

from __future__ import annotations

from uuid import uuid4

import pytest

from jobs.live.messages import IDS_PER_MESSAGE, MAX_PAYLOAD_BYTES, RESYNC, decode, encode


def test_every_id_arrives_once_in_pieces_that_notify_accepts():
    jobs = {uuid4() for _ in range(2 * IDS_PER_MESSAGE + 7)}
    runs = {uuid4()}

    messages = list(encode({"job": jobs, "run": runs}))

    assert len(messages) == 4
    assert max(len(message.encode()) for message in messages) <= MAX_PAYLOAD_BYTES
    heard = [decode(message) for message in messages]
    assert sorted(id for change in heard if change.kind == "job" for id in change.ids) == sorted(jobs)
    assert [change.ids for change in heard if change.kind == "run"] == [tuple(runs)]


def test_a_full_message_of_the_longest_kind_still_fits():
    (message,) = encode({"k" * 100: {uuid4() for _ in range(IDS_PER_MESSAGE)}})
    assert len(message.encode()) <= MAX_PAYLOAD_BYTES


@pytest.mark.parametrize(
    "payload", [RESYNC, "", "nonsense", "[]", "{}", '{"kind": "job"}', '{"kind":"job","ids":["x"]}', "7"]
)
def test_what_cannot_be_read_asks_for_a_resync(payload: str):
    assert decode(payload).resync
