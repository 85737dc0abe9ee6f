"""What an attempt says: head, tail, lines cut anywhere, progress, and nothing that grows."""

from __future__ import annotations

import json

from jobs.queue import ClaimedJob, Limits
from jobs.worker.attempt_log import HEAD_BYTES, TAIL_BYTES, AttemptLog
from synops.graph.columns import new_id


def a_log() -> AttemptLog:
    return AttemptLog(ClaimedJob(new_id(), new_id(), "x", {}, 1, new_id(), 1, 3, None, (), Limits(600)))


def text_of(flush) -> str:
    return "".join(chunk.text for chunk in flush.chunks)


def test_letters_and_lines_may_be_cut_anywhere():
    log = a_log()
    for byte in "blåbær\nsyltetøy".encode():
        log.feed(bytes([byte]))
    log.end()
    assert list(log.last_lines) == ["blåbær", "syltetøy"]
    assert text_of(log.take(final=True)) == "blåbær\nsyltetøy"


def test_a_letter_that_never_ends_is_replaced_and_kept():
    log = a_log()
    log.feed(b"x\xc3")
    assert text_of(log.take(final=True)) == "x\N{REPLACEMENT CHARACTER}"


def test_progress_is_read_once_and_is_no_error_line():
    log = a_log()
    log.feed(json.dumps({"progress": 0.25, "message": "1 av 4"}).encode() + b"\n")
    assert log.take_progress() == (log.job, 0.25, "1 av 4")
    assert log.take_progress() is None
    log.feed(b'{"progress": 7}\n{"progress": "half"}\n{"progress": NaN}\n{"note": 1}\n[1]\n')
    assert log.take_progress() == (log.job, 1.0, "1 av 4")
    assert list(log.last_lines) == ['{"note": 1}', "[1]"]


def test_the_record_of_an_error_is_left_to_its_sentence():
    log = a_log()
    log.feed(b'{"error": "no model", "code": 78}\nsynops-x: no model\n')
    assert list(log.last_lines) == ["synops-x: no model"]
    assert log.error_record == "no model", "for a program that says nothing else"


def test_head_and_tail_are_kept_and_the_middle_is_counted():
    log, kept, expired = a_log(), {}, set()
    for _ in range(40):
        log.feed(b"x" * 100_000)
        flush = log.take()
        kept |= {chunk.seq: chunk for chunk in flush.chunks}
        expired |= set(flush.expired)
    flush = log.take(final=True)
    kept |= {chunk.seq: chunk for chunk in flush.chunks}
    stored = sum(len(chunk.text) for seq, chunk in kept.items() if seq not in expired)
    assert stored + log.dropped_bytes == 4_000_000
    assert stored <= HEAD_BYTES + TAIL_BYTES


def test_a_line_without_end_does_not_grow():
    log = a_log()
    for _ in range(100):
        log.feed(b"y" * 100_000)
    log.end()
    assert len(log.last_lines[0]) == 64 * 1024
