"""The vocabulary that the tests of the language use: the proposed lexicon stands in for tools that are not built yet."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from orchestration.language import Vocabulary

DATA = Path(__file__).parents[2] / "data"
RECIPES = DATA / "recipes"
#: What tools of the lexicon will add to it when they are built.
RANKS = {"synops-notify": 1, "synops-summarize": 2, "synops-publish": 3}
#: The lexicon names no outputs but the summary's; an audio tool gives back the kind of thing it takes.
OUTPUTS = {"synops-audio": {"cas_hash": "hash"}}
TYPES = {
    "--cas-hash": "hash",
    "--node-id": "uuid",
    "--communication-id": "uuid",
    "--collection-id": "uuid",
    "--max": "integer",
}


def read(name: str) -> Any:
    """One file of the reference data."""
    return yaml.safe_load((RECIPES / name).read_text(encoding="utf-8"))


@cache
def described() -> tuple[dict[str, Any], ...]:
    """A describe record for every tool of the lexicon."""
    tools = read("lexicon.yaml")["tools"]
    for name, tool in tools.items():
        for param in tool["params"]:
            param["type"] = TYPES.get(param["flag"], "number" if param.get("slot") == "tall" else "string")
        tool.setdefault("outputs", OUTPUTS.get(name, {}))
    return tuple({"name": name, "rank": RANKS.get(name), **tool} for name, tool in tools.items())


@cache
def vocabulary() -> Vocabulary:
    """All of the lexicon."""
    return Vocabulary.from_tools(described())
