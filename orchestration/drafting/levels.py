"""What a recipe's `intelligence` and `effort` (1–3, as in the editor) buy: the model's tier, rounds and context."""

from __future__ import annotations

from dataclasses import dataclass

LOWEST, ORDINARY, HIGHEST = 1, 2, 3
CHARACTERS = {1: 8_000, 2: 16_000, 3: 32_000}
EXAMPLES = {1: 1, 2: 3, 3: 6}


@dataclass(frozen=True)
class Level:
    """`tier` 1 small, 2 ordinary, 3 large. `rounds`: answers asked for at most. `characters` bounds the system prompt."""

    tier: int
    rounds: int
    characters: int
    examples: int


def level(intelligence: int = ORDINARY, effort: int = ORDINARY) -> Level:
    """The level of two settings; what lies outside 1–3 counts as the nearest."""
    tier, rounds = _within(intelligence), _within(effort)
    return Level(tier, rounds, CHARACTERS[rounds], EXAMPLES[rounds])


def _within(number: int) -> int:
    return max(LOWEST, min(HIGHEST, number))
