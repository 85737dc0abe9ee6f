"""Reading another program's description: every key checked for its type, every mistake collected, nothing guessed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from synops.tools.describe import Description, InvalidDescription, Param, problems

_MISSING = object()


def read_description(document: Any) -> Description:
    """The JSON of `--describe` as a Description. Raises InvalidDescription with all problems."""
    if not isinstance(document, dict):
        raise InvalidDescription([f"a description is a JSON object, not {_kind(document)}"])
    reader = _Reader(document, "")
    description = Description(
        name=reader.take("name", str, ""),
        version=reader.take("version", str, ""),
        description=reader.text("description"),
        job_types=reader.strings("job_types"),
        job_type_by=reader.optional("job_type_by", dict),
        params=tuple(_param(reader, item, at) for at, item in enumerate(reader.take("params", list, []))),
        aliases=reader.words("aliases"),
        suggest_for=reader.words("suggest_for"),
        former_aliases=reader.words("former_aliases"),
        rank=reader.optional("rank", int),
        outputs=reader.text("outputs"),
        output_words=reader.words_by_value("output_words") or {},
        weight=reader.take("weight", int, 1),
        timeout=reader.take("timeout", int, 600),
        database=reader.take("database", str, "none"),
        preload=reader.take("preload", bool, False),
        settings=reader.strings("settings"),
        secrets=reader.strings("secrets"),
        exit_codes=reader.take("exit_codes", str, "plain"),
        network=reader.take("network", bool, False),
        examples=reader.strings("examples"),
    )
    if found := reader.problems + problems(description):
        raise InvalidDescription(found)
    return description


def _param(parent: _Reader, item: Any, at: int) -> Param:
    if not isinstance(item, dict):
        parent.problems.append(f"params[{at}] is {_kind(item)}, not an object")
        return Param(name=f"param_{at}", type="string")
    reader = _Reader(item, f"params[{at}].", parent.problems)
    param = Param(
        name=reader.take("name", str, ""),
        type=reader.take("type", str, "string"),
        description=reader.text("description"),
        required=reader.take("required", bool, False),
        bind=reader.strings("bind"),
        enum=reader.words_by_value("enum"),
        enum_open=reader.take("enum_open", bool, False),
        slot=reader.optional("slot", dict),
        hints=reader.words("hints"),
        default=item.get("default"),
        minimum=reader.optional("minimum", (int, float)),
        maximum=reader.optional("maximum", (int, float)),
        by_hand=reader.take("by_hand", bool, False),
    )
    if reader.take("flag", str, param.flag) != param.flag:
        # One name for both, or payloads and command lines would drift apart.
        reader.problems.append(f'{reader.place}flag is "{item["flag"]}" but must be {param.flag}')
    return param


class _Reader:
    """Takes keys out of one JSON object and notes what has the wrong type, with the place where it stands."""

    def __init__(self, source: dict[str, Any], place: str, problems: list[str] | None = None) -> None:
        self.source = source
        self.place = place
        self.problems: list[str] = [] if problems is None else problems

    def take(self, key: str, kind: Any, default: Any) -> Any:
        value = self.source.get(key, _MISSING)
        if value is _MISSING:
            return default
        # bool is a subclass of int, and "weight": true is a mistake.
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        self.problems.append(f"{self.place}{key} is {_kind(value)}")
        return default

    def optional(self, key: str, kind: Any) -> Any:
        return None if self.source.get(key) is None else self.take(key, kind, None)

    def strings(self, key: str) -> tuple[str, ...]:
        return self._strings(key, self.take(key, list, []))

    def text(self, key: str) -> dict[str, str]:
        return self._mapping(key, self.take(key, dict, {}), self._string)

    def words(self, key: str) -> dict[str, tuple[str, ...]]:
        return self._mapping(key, self.take(key, dict, {}), self._strings)

    def words_by_value(self, key: str) -> dict[str, dict[str, tuple[str, ...]]] | None:
        value = self.optional(key, dict)
        return None if value is None else self._mapping(key, value, self._words)

    def _mapping(self, place: str, value: Any, each: Callable[[str, Any], Any]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.problems.append(f"{self.place}{place} is {_kind(value)}, not an object")
            return {}
        return {name: each(f"{place}.{name}", item) for name, item in value.items()}

    def _words(self, place: str, value: Any) -> dict[str, tuple[str, ...]]:
        return self._mapping(place, value, self._strings)

    def _strings(self, place: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list):
            self.problems.append(f"{self.place}{place} is {_kind(value)}, not a list")
            return ()
        return tuple(self._string(f"{place}[{at}]", item) for at, item in enumerate(value))

    def _string(self, place: str, value: Any) -> str:
        if not isinstance(value, str):
            self.problems.append(f"{self.place}{place} is {_kind(value)}, not a string")
            return ""
        return value


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
