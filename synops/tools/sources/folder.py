"""A folder tree of cases:

    schemes.json  statuses.json            lists of {"key", "name"}
    cases/<folder>/case.json               {"key": number, "title", "scheme", "status", "received_on", …}
    cases/<folder>/documents/<file>        its documents, in the order of their names

`"restricted": true` in case.json withholds a case's documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from synops.tools.sources.protocol import BadSource, CaseExcluded, NoSuchCase, SourceChanged, SourceDocument, SourceDown

LISTS = ("schemes", "statuses")


class FolderSource:
    """Cases in files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def freshness(self) -> datetime:
        """The youngest of all that the master data are read from; of folders too, because one may have gone."""
        places = [self.root, self.root / "cases", *(self.root / f"{name}.json" for name in LISTS), *self._case_files()]
        try:
            return datetime.fromtimestamp(max(place.stat().st_mtime for place in places), UTC)
        except OSError as error:
            raise SourceDown(f"{error.filename} can't be read: {error.strerror}") from error

    def dump(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        before = self.freshness()
        for name in LISTS:
            for row in self._read(self.root / f"{name}.json", list):
                yield name, row
        for path in self._case_files():
            yield "cases", self._read(path, dict)
        if self.freshness() != before:
            raise SourceChanged(f"the files in {self.root} changed while they were read")

    def documents(self, number: str) -> list[SourceDocument]:
        return [
            SourceDocument(path.name, path.name, path.stat().st_size, str(path.stat().st_mtime_ns))
            for path in sorted((self._folder(number) / "documents").glob("*"))
            if path.is_file() and not path.is_symlink()  # a link could lead out of the tree
        ]

    @contextmanager
    def open(self, number: str, document: SourceDocument) -> Iterator[BinaryIO]:
        try:
            stream = (self._folder(number) / "documents" / Path(document.key).name).open("rb")
        except OSError as error:
            raise SourceChanged(f"the document {document.name} of {number} is not there any more") from error
        with stream:
            yield stream

    def _folder(self, number: str) -> Path:
        """Where the case lies. A number may hold “/”, so folders are found by what case.json says."""
        for path in self._case_files():
            case = self._read(path, dict)
            if case.get("key") == number:
                if case.get("restricted"):
                    raise CaseExcluded(f"the case {number} is restricted: the source withholds its documents")
                return path.parent
        raise NoSuchCase(f"{self.root} has no case {number}")

    def _case_files(self) -> list[Path]:
        return sorted((self.root / "cases").glob("*/case.json"))

    def _read(self, path: Path, kind: type) -> Any:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise SourceDown(f"{path} can't be read: {error.strerror}") from error
        except ValueError as error:
            raise BadSource(f"{path} is no JSON: {error}") from error
        if not isinstance(document, kind):
            raise BadSource(f"{path} must hold {'an object' if kind is dict else 'a list'}")
        return document
