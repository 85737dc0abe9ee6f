"""What a source of cases can do, and how it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple, Protocol

from synops.tools.failures import NoInput, ToolFailure, TryAgain, Unavailable


class SourceDocument(NamedTuple):
    """A document as the source lists it. `key` is its id within the case, `changed_at` changes whenever its bytes do."""

    key: str
    name: str
    size: int
    changed_at: str


class CaseSource(Protocol):
    """A system that holds cases. Every method may raise SourceDown and BadSource."""

    def freshness(self) -> datetime:
        """When the source's master data last changed."""

    def dump(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All master data: ("schemes" | "statuses" | "cases", row). Raises SourceChanged when it is not one state."""

    def documents(self, number: str) -> list[SourceDocument]:
        """The case's documents in order. Raises CaseExcluded, NoSuchCase."""

    def open(self, number: str, document: SourceDocument) -> AbstractContextManager[BinaryIO]:
        """The document's bytes. Raises CaseExcluded, and SourceChanged when it is there no more."""


class SourceDown(Unavailable):
    """The source does not answer, answers too slowly, or says that it can't now."""


class SourceChanged(TryAgain):
    """The source changed while it was read; the next try reads it whole."""


class BadSource(TryAgain):
    """The source breaks its own contract: the fault is there, and may be mended by the next try."""


class NoSuchCase(NoInput):
    """The source has no such case any more."""


class CaseExcluded(ToolFailure):
    """The source withholds the case (403): done, and no error."""

    exit_code = 77
