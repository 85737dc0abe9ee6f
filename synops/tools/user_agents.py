"""Who asks: a robot, or a listener's app, by the words with which a program introduces itself.

Built in are our own few rules (user_agents.json). A folder with the lists of the Open Podcast Analytics Working Group
(user-agents-v2, *.runtime.json) knows a thousand more; it is the operator's to keep fresh, and not part of the product.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from synops.tools.failures import NotConfigured

BUILT_IN: Final = "builtin"
OPAWG: Final = "opawg"
#: The order in which the lists are asked; the first that knows the program decides.
LISTS: Final = ("bots", "apps", "libraries", "browsers")
OTHER: Final = "other"


class Agent(NamedTuple):
    """`name` is the app's, `other` where no list knows it."""

    name: str
    robot: bool


class UserAgents:
    """The rules of one source. `name`: builtin or opawg."""

    def __init__(self, name: str, rules: Iterable[tuple[str, str, bool]]) -> None:
        self.name = name
        self._rules = [(label, re.compile(pattern), robot) for label, pattern, robot in rules]
        # A log names the same few hundred programs again and again, and a thousand patterns take 0.1 ms.
        self.identify = lru_cache(maxsize=20_000)(self._identify)

    def _identify(self, agent: str) -> Agent:
        for label, pattern, robot in self._rules:
            if pattern.search(agent):
                return Agent(label, robot)
        return Agent(OTHER, False)


def user_agents(folder: str | None) -> UserAgents:
    """The lists in a folder, or our own rules without one. Raises NotConfigured for a folder that is none of lists."""
    if folder:
        return UserAgents(OPAWG, _folder_rules(Path(folder)))
    document = json.loads(resources.files("synops.tools").joinpath("user_agents.json").read_text(encoding="utf-8"))
    return UserAgents(BUILT_IN, _built_in_rules(document))


def _built_in_rules(document: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    for kind in LISTS:
        for label, pattern in document.get(kind, ()):
            yield label, pattern, kind == "bots"


def _folder_rules(folder: Path) -> list[tuple[str, str, bool]]:
    found = []
    for kind in LISTS:
        path = folder / f"{kind}.runtime.json"
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))["entries"]
            found += [
                (entry["name"], entry["pattern"], kind == "bots" or entry.get("category") == "bot") for entry in entries
            ]
            for entry in entries:
                re.compile(entry["pattern"])
        except (OSError, ValueError, KeyError, TypeError, re.error) as error:
            raise NotConfigured(
                f"{path} is no list of user agents ({type(error).__name__}: {error}). "
                "Put *.runtime.json of opawg/user-agents-v2 there, or leave the folder out."
            ) from error
    return found
