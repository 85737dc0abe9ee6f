from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synops.store.segments import Segment
from synops.tools.subtitles import NoSubtitles, compose, parse

words = st.lists(
    st.sampled_from(["ja", "Æsj!", "7", "1814", "–", "don't", "日本", "00:01", "a--b"]), min_size=1, max_size=5
)
segments = st.lists(
    st.builds(
        lambda start, length, text: Segment(start, start + length, " ".join(text)),
        st.integers(0, 400_000_000), st.integers(0, 60_000), words,
    ),
    max_size=6,
)  # fmt: skip


@given(segments)
def test_round_trip(items: list[Segment]) -> None:
    expected = sorted(items, key=lambda item: (item.start_ms, item.end_ms))
    assert parse(compose(expected)) == expected


def test_the_strict_form() -> None:
    assert compose([Segment(0, 1500, "Hei."), Segment(3_600_000, 3_661_007, "To\n\nlinjer")]) == (
        "1\n00:00:00,000 --> 00:00:01,500\nHei.\n\n2\n01:00:00,000 --> 01:01:01,007\nTo linjer\n\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "1\n00:00:01,000 --> 00:00:02,000\nHei på deg\n",
        "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHei\r\npå deg\r\n\r\n",
        "00:00:01.000 --> 00:00:02.000 align:start\nHei på deg",
        "1\n0:0:1,0 --> 0:0:2,0\n<i>Hei</i> på <font color=red>deg</font>\n",
        "1\n00:00:01,000-->00:00:02,000\n{\\an8}Hei på deg\n\n\n2\n00:00:03,000 --> 00:00:04,000\n\n",
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHei på deg",
    ],
)
def test_files_as_they_come(text: str) -> None:
    assert parse(text) == [Segment(1000, 2000, "Hei på deg")]


def test_numbers_are_not_text_and_text_may_be_a_number() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\n1814\n\n2\n00:00:03,000 --> 00:00:02,500\nKrig\n"
    assert parse(text) == [Segment(1000, 2000, "1814"), Segment(3000, 3000, "Krig")]


def test_blank_is_empty_and_prose_is_an_error() -> None:
    assert parse(" \n\n") == []
    with pytest.raises(NoSubtitles):
        parse("Dette er et brev.\nIngen tider her.")
