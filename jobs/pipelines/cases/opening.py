"""Ways into the case pipeline: selection from the replica, one case by hand, many in bulk."""

from __future__ import annotations

from django.conf import settings

from jobs.pipelines import Opening, Unit, open_unit, open_units
from jobs.pipelines.cases.pipeline import NAME, SQL, FetchWork, documents_of, evaluation_work
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor, load
from synops.tools.case_lock import read_lock
from synops.tools.failures import NotConfigured


class UnknownCase(LookupError):
    """The replica holds no such case."""


class NothingToRead(LookupError):
    """The case has no manifest, so there is nothing to read anew or to evaluate; fetch it first."""


def select(cursor: Cursor, most: int | None = None) -> list[Unit]:
    """Open up to `most` cases that qualify (PIPELINE_MAX_CASES_PER_TICK); those that were opened.

    The source is not asked: selection reads the replica alone. Cases of schemes that no analyzer is deployed for come
    last: they return at every tick, and as many old ones as fit into a tick would keep all others out for ever.
    """
    room = settings.PIPELINE_MAX_CASES_PER_TICK if most is None else most
    numbers = _candidates(cursor, True, room)
    numbers += _candidates(cursor, False, room - len(numbers))
    return open_units(cursor, [whole(number) for number in numbers])


def _candidates(cursor: Cursor, are_deployed: bool, most: int) -> list[str]:
    parameters = {"deployed": _deployed(), "are_deployed": are_deployed, "most": most}
    cursor.execute(load(SQL, "candidates"), parameters)
    return [row[0] for row in cursor.fetchall()]


def _deployed() -> list[str]:
    try:
        return sorted(read_lock(settings.CASES_DIR))
    except NotConfigured:  # said by `check`, and by every fetch
        return []


def reanalyse(cursor: Cursor, number: str, force: bool = False) -> Unit:
    """Run a case anew from its source on, by hand. Raises UnknownCase, AlreadyOpen."""
    _require(cursor, number)
    return open_unit(cursor, whole(number, force))


def extract_again(cursor: Cursor, number: str, cause: str = "manual") -> Unit:
    """Read the case's documents anew, without fetching them, and evaluate it. Raises what `reanalyse` does, NothingToRead."""
    _require(cursor, number)
    return open_unit(cursor, extraction(cursor, number), cause)


def evaluate_again(cursor: Cursor, number: str, cause: str = "manual") -> Unit:
    """Put the rules to the case anew, with the facts that are stored. Raises what `extract_again` does."""
    _require(cursor, number)
    if not documents_of(cursor, number):
        raise NothingToRead(f"{number} has no documents yet")
    return open_unit(cursor, evaluation(number), cause)


def whole(number: str, force: bool = False) -> Opening:
    """A run from the first step on. Cases belong to the system's collection: permissions say who sees them."""
    return Opening(NAME, number, SYSTEM_COLLECTION_ID, FetchWork(number, True if force else None))


def extraction(cursor: Cursor, number: str) -> Opening:
    """A run that begins with reading all documents anew. Raises NothingToRead."""
    items = documents_of(cursor, number, force=True)
    if not items:
        raise NothingToRead(f"{number} has no documents yet")
    return Opening(NAME, number, SYSTEM_COLLECTION_ID, step="extract", items=items)


def evaluation(number: str) -> Opening:
    """A run that is an evaluation alone."""
    return Opening(NAME, number, SYSTEM_COLLECTION_ID, evaluation_work, step="evaluate")


def _require(cursor: Cursor, number: str) -> None:
    cursor.execute("SELECT 1 FROM case_files WHERE number = %(number)s", {"number": number})
    if cursor.fetchone() is None:
        raise UnknownCase(f"the replica holds no case {number}")
