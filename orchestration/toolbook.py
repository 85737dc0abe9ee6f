"""What the tools say about themselves, read from their nodes when a step needs it and kept for one transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from jobs.payload import PayloadRefused, encode_payload
from jobs.scope import outside
from jobs.tool_nodes import tool_node_id
from orchestration.run_state import RunState
from orchestration.states import Reason
from orchestration.values import as_text
from synops.store.masking import mask_argv
from synops.store.sql import Cursor
from synops.tools.arguments import UsageError, argv, validate_payload
from synops.tools.describe import Description, InvalidDescription, Param

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Unusable(ValueError):
    """A step can't be started: `reason` as a code, the text says what exactly."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class ToolBook:
    """Descriptions by tool name."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._known: dict[str, Description | None] = {}

    def get(self, name: str) -> Description | None:
        """The description of an installed tool; None when it is not installed (any more)."""
        self.learn([name])
        return self._known[name]

    def learn(self, names: Iterable[str]) -> None:
        """Read those of these tools that are not known yet, in one statement."""
        wanted = {tool_node_id(name): name for name in names if name not in self._known}
        if not wanted:
            return
        self._known |= dict.fromkeys(wanted.values())
        self._cursor.execute(
            """SELECT id, metadata::text FROM nodes WHERE id = ANY(%(ids)s::uuid[]) AND node_kind = 'cli_tool'
               AND coalesce(metadata -> 'available', 'true') <> 'false'""",
            {"ids": list(wanted)},
        )
        self._known |= {wanted[id]: _description(text) for id, text in self._cursor.fetchall()}

    def know(self, names: Iterable[str], said: Mapping[str, Any]) -> None:
        """What was read of these tools elsewhere in this transaction; one that said nothing is not installed."""
        self._known |= {name: _described(said.get(name)) for name in names}

    def fitted(self, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The params with the types that the tool takes. Raises Unusable when it can't take them, or is not installed."""
        description = self.get(name)
        if description is None:
            raise Unusable(Reason.TOOL_GONE, name)
        params = {key: _fit(description.param(key), value) for key, value in params.items()}
        problems = validate_payload(description, params)
        if problems:
            raise Unusable(Reason.REFUSED, "; ".join(problems))
        try:
            encode_payload(params)
        except PayloadRefused as refused:
            raise Unusable(Reason.REFUSED, str(refused)) from refused
        return params

    def stay_inside(self, name: str, params: Mapping[str, Any], run: RunState) -> None:
        """Raise Unusable when the params name a node or file outside the run's collection.

        What the event itself is about was found in the collection when the run started, and the claim asks again.
        """
        event = run.variables.get("event", {})
        known = {event.get(key) for key in ("node_id", "communication_id", "collection_id", "cas_hash")}
        others = {key: value for key, value in params.items() if value not in known}
        description = self.get(name)
        if others and description is not None:
            problems = outside(self._cursor, description, others, run.collection_id, run.id)
            if problems:
                raise Unusable(Reason.OUTSIDE, "; ".join(problems))

    def command(self, name: str, params: Mapping[str, Any]) -> list[str] | None:
        """The command line with secrets masked; None when the tool can't be asked how its flags are spelt."""
        description = self.get(name)
        if description is None:
            return None
        try:
            return mask_argv([name, *argv(description, params)])
        except UsageError:
            return None


def _described(said: Any) -> Description | None:
    return None if said is None else _description(json.dumps(said, sort_keys=True))


@lru_cache(maxsize=256)
def _description(text: str) -> Description | None:
    """Checked once per text: every step of every run asks for its tool."""
    try:
        return Description.from_json(json.loads(text))
    except InvalidDescription:
        return None


def _fit(param: Param | None, value: Any) -> Any:
    """A value from an event, a result or a form, as its param's type where that loses nothing; else as it is."""
    kind = param.type if param else ""
    if kind in ("string", "text") and not isinstance(value, str):
        return as_text(value)
    if kind in ("integer", "number") and isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value) if "." in value else int(value)
    if kind == "boolean" and isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    return value
