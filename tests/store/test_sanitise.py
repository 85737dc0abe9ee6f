from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synops.store.sanitise import clean, clean_text, dumps
from synops.store.sql import Cursor

# Everything that json.loads can return from a program's output, the unstorable included.
anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(anything, inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("a\x00b", "a\ufffdb"),
        ("half \ud83d emoji", "half \ufffd emoji"),
        ({"k\x00": ["\udfff", {"x": float("nan")}]}, {"k\ufffd": ["\ufffd", {"x": None}]}),
        ((1, 2.5, True, None), [1, 2.5, True, None]),
        ({7: float("-inf")}, {"7": None}),
        ("æøå 🎙", "æøå 🎙"),
    ],
)
def test_what_jsonb_refuses_is_replaced(dirty: Any, expected: Any) -> None:
    assert clean(dirty) == expected


def test_what_is_no_json_is_an_error() -> None:
    with pytest.raises(TypeError, match="bytes is no JSON value"):
        clean({"a": b"raw"})


@given(values)
def test_cleaning_is_strict_json_and_idempotent(value: Any) -> None:
    once = clean(value)
    assert clean(once) == once
    assert json.loads(dumps(value)) == once


def test_postgresql_takes_every_character_after_cleaning(cur: Cursor) -> None:
    every = "".join(chr(code) for code in range(0x3000)) + "\ud800\udfff\uffff\U0010ffff"
    cur.execute(
        "SELECT (%(value)s::jsonb)->>'k', %(text)s::text", {"value": dumps({"k": every}), "text": clean_text(every)}
    )
    row = cur.fetchone()
    assert row is not None
    assert row[0] == row[1] == clean_text(every)
