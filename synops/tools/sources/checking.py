"""Checks a dump's rows before they reach the replica, so that a wrong one is named and not a database error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from synops.tools.sources.protocol import BadSource

_TEXTS = {"schemes": ("key", "name"), "statuses": ("key", "name"), "cases": ("key", "title", "scheme", "status")}
_PARTS = {"assessments": ("key", "kind", "outcome"), "costs": ("key", "label"), "certificates": ("number",)}
_DATES = {"assessments": "assessed_on", "certificates": "issued_on"}

Rows = Iterable[tuple[str, Mapping[str, Any]]]


def checked(rows: Rows) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows as they come. Raises BadSource for the first that can't be stored. Schemes and statuses come first."""
    known: dict[str, set[str]] = {table: set() for table in _TEXTS}
    for table, row in rows:
        where = f"{table}: {str(row.get('key'))[:60]}"
        _texts(where, row, _TEXTS[table])
        if row["key"] in known[table]:
            raise BadSource(f"{where} comes twice")
        known[table].add(row["key"])
        if table == "cases":
            _case(where, row, known)
        yield table, row


def _case(where: str, row: Mapping[str, Any], known: Mapping[str, set[str]]) -> None:
    for name, table in (("scheme", "schemes"), ("status", "statuses")):
        if row[name] not in known[table]:
            raise BadSource(f"{where} names the {name} {row[name][:60]}, which the dump does not have")
    _date(where, row.get("received_on"))
    for part, texts in _PARTS.items():
        for number, item in enumerate(_list(where, row.get(part, [])), 1):
            _part(f"{where}, {part} {number}", part, item, texts)


def _part(where: str, part: str, item: Any, texts: tuple[str, ...]) -> None:
    if not isinstance(item, dict):
        raise BadSource(f"{where} must be an object")
    _texts(where, item, texts)
    if part == "costs" and (isinstance(item.get("amount"), bool) or not isinstance(item.get("amount"), int | float)):
        raise BadSource(f"{where}: amount must be a number")
    if (name := _DATES.get(part)) and item.get(name) is not None:
        _date(where, item[name])


def _list(where: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadSource(f"{where}: costs, assessments and certificates must be lists")
    return value


def _texts(where: str, row: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(row.get(name), str) or not row[name]:
            raise BadSource(f"{where}: {name} must be a text")


def _date(where: str, value: Any) -> None:
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadSource(f"{where}: {value!r} is no date (2026-01-31)") from error
