"""A row as it was read for all browsers, and the words for it: put together once for all that know the same of it, not
once a socket.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any
from uuid import UUID

Key = tuple[str, UUID]

_numbers = count(1)


class State:
    """What a row of `kind` looked like at one reading. Every mailbox holds the same one."""

    __slots__ = ("_words", "fields", "key", "number")

    def __init__(self, kind: str, id: UUID, fields: Mapping[str, Any]) -> None:
        self.key: Key = (kind, id)
        self.fields = fields
        self.number = next(_numbers)
        # By number and not by state: a state that held its predecessors would hold them all.
        self._words: dict[int, str] = {}

    def since(self, known: State | None) -> str:
        """The JSON for a browser that was told `known`: the fields that differ. Empty when none does."""
        number = known.number if known else 0
        if number not in self._words:
            self._words[number] = self._differing(known.fields if known else {})
        return self._words[number]

    def _differing(self, known: Mapping[str, Any]) -> str:
        fields = {name: value for name, value in self.fields.items() if name not in known or known[name] != value}
        kind, id = self.key
        return as_json({"kind": kind, "id": str(id), "fields": fields}) if fields else ""


def as_json(value: Any) -> str:
    """Without blanks, as it goes over the wire."""
    return json.dumps(value, separators=(",", ":"))
