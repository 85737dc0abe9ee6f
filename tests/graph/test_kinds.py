"""Kinds of nodes are shown in the reader's words, and those that nobody has named as they are."""

from __future__ import annotations

import pytest
from django.utils import translation

from synops.graph.kinds import in_words


@pytest.mark.parametrize(("kind", "words"), [("article", "artikkel"), ("communication", "samtale"), ("ufo", "ufo")])
def test_a_kind_is_said_in_the_language_that_is_on(kind: str, words: str) -> None:
    with translation.override("nb"):
        assert in_words(kind) == words
