"""Follows the pages of a list and believes nothing: not the cursor, not the total, not that a row comes once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from synops.tools.sources.protocol import BadSource

MOST_PAGES = 100_000


class Pages:
    """A list at `path` of `total` rows (None = not known yet). `wanted` is the next cursor, "" at first, None at the end."""

    def __init__(self, path: str, total: int | None = None) -> None:
        self.path = path
        self.wanted: str | None = ""
        self._total = total
        self._cursors = {""}
        self._keys: set[str] = set()

    def address(self, cursor: str) -> str:
        """The path of the page at `cursor`."""
        return f"{self.path}?cursor={quote(cursor, safe='')}" if cursor else self.path

    def expect(self, total: Any) -> None:
        """What this page says of the total. Raises BadSource when it says nothing, or another number than before."""
        if not isinstance(total, int) or isinstance(total, bool) or total < 0:
            raise BadSource(f'{self.path} must say in "total" how many rows there are')
        if self._total not in (None, total):
            raise BadSource(f"{self.path} spoke of {self._total} rows, and then of {total}")
        self._total = total

    def take(self, page: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The rows of a page. Raises BadSource: rows that come twice, more or fewer than announced, pages in a circle."""
        rows = page.get("items")
        if not isinstance(rows, list) or not all(isinstance(row, dict) and _has_key(row) for row in rows):
            raise BadSource(f'{self.path} must answer with "items", a list of objects with a "key"')
        keys = [row["key"] for row in rows]
        if len({*keys}) < len(keys) or not self._keys.isdisjoint(keys):
            raise BadSource(f"{self.path} gives the same row twice")
        self._keys.update(keys)
        self._go_on(page.get("next"))
        return rows

    def _go_on(self, cursor: Any) -> None:
        if self._total is not None and len(self._keys) > self._total:
            raise BadSource(f"{self.path} gives more than the {self._total} rows that it announced")
        if cursor is None:
            self._end()
        elif not isinstance(cursor, str) or cursor in self._cursors or len(self._cursors) >= MOST_PAGES:
            raise BadSource(f"{self.path} leads from page to page in a circle: {str(cursor)[:80]!r} came before")
        else:
            self._cursors.add(cursor)
        self.wanted = cursor

    def _end(self) -> None:
        if self._total is not None and len(self._keys) != self._total:
            raise BadSource(f"{self.path} announced {self._total} rows and gave {len(self._keys)}")


def _has_key(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("key"), str) and bool(row["key"])
