"""What calls cost: tokens and money as the server counts them, added up over the rounds of one piece of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts of one or more calls. `cost` is in US dollars, and None where the server does not tell (OpenRouter does)."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(known) if known else None,
        )

    def to_json(self) -> dict[str, Any]:
        """The form that stands in results under `usage`."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": None if self.cost is None else round(self.cost, 8),
        }


def usage_of(told: Any) -> Usage:
    """One call's usage from the server's `usage` object; what is missing or no number counts as nothing."""
    told = told if isinstance(told, Mapping) else {}
    cost = told.get("cost")
    return Usage(
        calls=1,
        prompt_tokens=_count(told.get("prompt_tokens")),
        completion_tokens=_count(told.get("completion_tokens")),
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
