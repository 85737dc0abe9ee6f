"""The case pipeline: fetch a case's documents, read each of them, and when all are over put the rules to the case once.

The steps are programs (synops-case-fetch, synops-extract, synops-evaluate) that write manifest, facts and verdicts under
their fence. What is here reads them back in the transaction that marks the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from jobs.pipelines import Failed, Item, Outcome, Pipeline, Rule, Step, Succeeded, Unit, Work
from synops.store.cases.facts import stored_facts
from synops.store.sql import Cursor, load

NAME = "cases"
SQL = "jobs.pipelines.cases.sql"
UNKNOWN_KIND = "unknown"


@dataclass(frozen=True)
class FetchWork:
    """Fetch the documents of a case; `force` also those that have not changed, which are then read anew."""

    case_number: str
    force: bool | None = None


@dataclass(frozen=True)
class DocumentWork:
    """Read a document, by its digest; with `force` although its facts are stored."""

    cas_hash: str
    extractor: str
    force: bool | None = None


@dataclass(frozen=True)
class EvaluationWork:
    """Put the rules to a case, for this run of it."""

    case_number: str
    generation: int


def documents_of(cursor: Cursor, number: str, force: bool | None = None) -> list[Item]:
    """The case's manifest as work: an item a document, also where two of them are the same file."""
    cursor.execute(
        "SELECT key, cas_hash, extractor FROM case_documents WHERE case_id = %(number)s ORDER BY position, id",
        {"number": number},
    )
    return [Item(key, DocumentWork(digest, extractor, force)) for key, digest, extractor in cursor.fetchall()]


def settle_fetch(cursor: Cursor, work: Work[FetchWork], result: Any) -> Outcome:
    """The manifest is stored: its documents are what comes next. None at all ends the case as “no documents”."""
    if not isinstance(result, dict):
        return Failed("the fetch gave an empty answer")
    return Succeeded(result, documents_of(cursor, work.unit.unit, work.payload.force))


def settle_document(cursor: Cursor, work: Work[DocumentWork], result: Any) -> Outcome:
    """An empty answer is a failure. The kind is read back from the stored facts; failing that leaves a warning only."""
    if not isinstance(result, dict) or not result.get("characters"):
        return Failed("the extractor gave an empty answer")
    stored = stored_facts(cursor, work.payload.cas_hash, work.payload.extractor)
    kind = str(stored["kind"]) if stored else UNKNOWN_KIND
    warning = "" if stored else "the stored facts can't be read back; the kind is unknown"
    cursor.execute(
        "UPDATE case_documents SET kind = %(kind)s, warning = %(warning)s WHERE case_id = %(number)s AND key = %(key)s",
        {"kind": kind, "warning": warning, "number": work.unit.unit, "key": work.item},
    )
    return Succeeded({"kind": kind, "characters": result["characters"], "cached": bool(result.get("cached"))})


def evaluation_of(_cursor: Cursor, unit: Unit) -> EvaluationWork:
    """What fan-in hands to the rules."""
    return evaluation_work(unit)


def evaluation_work(unit: Unit) -> EvaluationWork:
    """The evaluation of this run."""
    return EvaluationWork(unit.unit, unit.generation)


def settle_evaluation(cursor: Cursor, work: Work[EvaluationWork], result: Any) -> Outcome:
    """The verdicts are stored under this run; the case shows what they come to."""
    parameters = {"number": work.unit.unit, "generation": work.unit.generation}
    cursor.execute(load(SQL, "note_decision"), parameters)
    if cursor.fetchone() is None:
        return Failed("the rules gave no verdicts")
    kept = {key: result[key] for key in ("decision", "rule_set", "counts")} if isinstance(result, dict) else None
    return Succeeded(kept)


def note_end(cursor: Cursor, unit: Unit, state: str, reason: str) -> None:
    """The case shows how its latest run ended. Without an evaluation it has no decision: an old one would mislead."""
    cursor.execute(
        load(SQL, "note_end"),
        {"number": unit.unit, "generation": unit.generation, "state": state, "reason": reason},
    )


def case_pipeline() -> Pipeline:
    """The declaration; the limits are what the priority rules of its job types begin with."""
    documents = settings.PIPELINE_DOCUMENT_TIMEOUT_SECONDS
    evaluation = settings.PIPELINE_EVALUATION_TIMEOUT_SECONDS
    return Pipeline(
        NAME,
        _("Case files: fetch the documents, read each, evaluate the rules once."),
        steps=(
            Step(
                "fetch",
                "case_fetch",
                FetchWork,
                description=_("Fetches the documents and makes the list of them."),
                settle=settle_fetch,
                rule=Rule(max_concurrent=2, timeout_seconds=600),
            ),
            Step(
                "extract",
                "case_extract",
                DocumentWork,
                description=_("Reads a document: its text, its kind, its facts."),
                follows="fetch",
                shape="each",
                settle=settle_document,
                when_none=_("no documents"),
                rule=Rule(max_concurrent=4, timeout_seconds=documents),
            ),
            Step(
                "evaluate",
                "case_evaluate",
                EvaluationWork,
                description=_("Puts the rules to the case."),
                follows="extract",
                shape="all",
                gather=evaluation_of,
                settle=settle_evaluation,
                bulk_job_type="case_evaluate_bulk",
                rule=Rule(max_concurrent=2, timeout_seconds=evaluation),
                bulk_rule=Rule(max_concurrent=1, timeout_seconds=evaluation, base_priority=1),
            ),
        ),
        on_end=note_end,
    )
