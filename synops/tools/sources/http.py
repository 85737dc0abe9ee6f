"""A case service over HTTP: JSON in pages, a bearer token, 403 for a case that is withheld.

GET /dump                                 {"id", "generated_at", "counts": {"schemes": n, "statuses": n, "cases": n}}
GET /dump/<table>?cursor=…                {"dump": id, "items": […], "next": cursor or null}
GET /cases/<number>/documents?cursor=…    {"items": [{"key", "name", "size", "changed_at"}], "total": n, "next"}
GET /cases/<number>/documents/<key>       the bytes
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote

from synops.tools.failures import NotConfigured
from synops.tools.sources.paging import Pages
from synops.tools.sources.protocol import BadSource, CaseExcluded, NoSuchCase, SourceChanged, SourceDocument, SourceDown

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""The longest silence in an answer; the whole is bounded by the job's own time limit."""

MOST_JSON_BYTES = 32 * 1024 * 1024
TABLES = ("schemes", "statuses", "cases")


class HttpSource:
    """Cases of a service at `address`."""

    def __init__(self, address: str, token: str) -> None:
        import httpx2

        if not token.isascii() or any(letter.isspace() for letter in token):
            raise NotConfigured("CASES_SOURCE_TOKEN holds letters or spaces that a token can't have; set it anew")
        self.address = address.rstrip("/")
        # One client, so that ten thousand documents need no ten thousand connections. No redirects: the token would
        # go wherever the answer says.
        self._client = httpx2.Client(
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            follow_redirects=False,
        )

    def freshness(self) -> datetime:
        return moment(self._announced())

    def dump(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        announced = self._announced()
        for table in TABLES:
            pages = Pages(f"/dump/{table}", _count(announced, table))
            while (cursor := pages.wanted) is not None:
                page = self._json(pages.address(cursor))
                if page.get("dump") != announced.get("id"):
                    raise SourceChanged("the source made a new dump while the old one was read")
                yield from ((table, row) for row in pages.take(page))
        if self._announced().get("id") != announced.get("id"):
            raise SourceChanged("the source made a new dump while the old one was read")

    def documents(self, number: str) -> list[SourceDocument]:
        pages = Pages(f"/cases/{quote(number, safe='')}/documents")
        found: list[SourceDocument] = []
        while (cursor := pages.wanted) is not None:
            page = self._json(pages.address(cursor), number)
            pages.expect(page.get("total"))
            found += [_document(row) for row in pages.take(page)]
        return found

    @contextmanager
    def open(self, number: str, document: SourceDocument) -> Iterator[BinaryIO]:
        path = f"/cases/{quote(number, safe='')}/documents/{quote(document.key, safe='')}"
        try:
            with self._answer(path, number) as response:
                yield io.BufferedReader(_Stream(response, self.address))
        except NoSuchCase as error:
            raise SourceChanged(f"the document {document.name} of {number} is not there any more") from error

    def close(self) -> None:
        """Let the connection go; a program's ends with it anyway."""
        self._client.close()

    def _announced(self) -> dict[str, Any]:
        return self._json("/dump")

    def _json(self, path: str, number: str = "") -> dict[str, Any]:
        import json

        with self._answer(path, number) as response:
            text = io.BufferedReader(_Stream(response, self.address)).read(MOST_JSON_BYTES + 1)
        if len(text) > MOST_JSON_BYTES:
            raise BadSource(f"{self.address}{path} answers with more than {MOST_JSON_BYTES} bytes; use smaller pages")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadSource(f"{self.address}{path} does not answer with JSON: {error}") from error
        if not isinstance(document, dict):
            raise BadSource(f"{self.address}{path} must answer with an object")
        return document

    @contextmanager
    def _answer(self, path: str, number: str) -> Iterator[httpx2.Response]:
        """An open answer with status 200; everything else is an exception."""
        import httpx2

        try:
            with self._client.stream("GET", self.address + path) as response:
                self._check(response.status_code, path, number)
                yield response
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise SourceDown(f"{self.address} does not answer: {type(error).__name__} {error}") from error

    def _check(self, status: int, path: str, number: str) -> None:
        if status == 200:
            return
        if status == 401:
            raise NotConfigured(f"{self.address} refuses the token (401); set CASES_SOURCE_TOKEN")
        if status == 403 and number:
            raise CaseExcluded(f"the source withholds the case {number} (403)")
        if status == 404 and number:
            raise NoSuchCase(f"{self.address} has no case {number}")
        if status == 429 or status >= 500:
            raise SourceDown(f"{self.address}{path} answers {status}")
        raise BadSource(f"{self.address}{path} answers {status}")


class _Stream(io.RawIOBase):
    """An answer's body as a file; what breaks while it is read is the source's failure and not an odd exception."""

    def __init__(self, response: httpx2.Response, address: str) -> None:
        self._chunks = response.iter_bytes()
        self._rest = b""
        self._address = address

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import httpx2

        try:
            while not self._rest:
                self._rest = next(self._chunks)
        except StopIteration:
            return 0
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise SourceDown(f"{self._address} broke off its answer: {type(error).__name__} {error}") from error
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def moment(announced: Mapping[str, Any]) -> datetime:
    """When the dump was made. Raises BadSource."""
    try:
        found = datetime.fromisoformat(announced["generated_at"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadSource('/dump must answer with "generated_at", an ISO 8601 time') from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _count(announced: Mapping[str, Any], table: str) -> int:
    counts = announced.get("counts")
    count = counts.get(table) if isinstance(counts, dict) else None
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise BadSource(f'/dump must say in "counts" how many {table} there are')
    return count


def _document(row: Mapping[str, Any]) -> SourceDocument:
    try:
        size = int(row["size"])
        return SourceDocument(str(row["key"]), str(row["name"]), size, str(row.get("changed_at") or ""))
    except (KeyError, TypeError, ValueError) as error:
        raise BadSource(f"a document must have key, name and size: {row}"[:300]) from error
