"""Cases, documents and facts as rows, and a worker's hands for the case pipeline's programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from jobs.queue import ClaimedJob, Ended
from synops.store.cases import replica
from synops.store.cases.facts import store_facts
from synops.store.cases.manifest import Line, store_manifest
from synops.store.cases.verdicts import store_evaluation
from synops.store.sql import Cursor
from tests.jobs.arrange import claim
from tests.jobs.pipelines.making import Hands

TYPES = ("case_fetch", "case_extract", "case_evaluate", "case_evaluate_bulk")
WHEN = datetime(2026, 1, 1, tzinfo=UTC)

Rows = list[tuple[str, Mapping[str, Any]]]


def case(number: str, **more: Any) -> tuple[str, dict[str, Any]]:
    plain = {"title": f"Sak {number}", "scheme": "heat-pump", "status": "complete", "received_on": "2026-01-02"}
    return "cases", {"key": number, **plain, **more}


def dump(*cases: tuple[str, dict[str, Any]]) -> Rows:
    return [
        ("schemes", {"key": "heat-pump", "name": "Varmepumpe", "active": True}),
        ("schemes", {"key": "unmapped", "name": "Uten analyse", "active": True}),
        ("schemes", {"key": "old", "name": "Gammel", "active": False}),
        ("statuses", {"key": "complete", "name": "Klar", "qualifying": True}),
        ("statuses", {"key": "draft", "name": "Kladd", "qualifying": False}),
        *cases,
    ]


def bring(cursor: Cursor, *cases: tuple[str, dict[str, Any]], at: datetime = WHEN) -> dict[str, int]:
    """A replica with these cases."""
    counts = replica.sync(cursor, at, dump(*cases))
    cursor.execute("DROP TABLE dump")
    return counts


def digest(name: str) -> str:
    return name.encode().hex().ljust(64, "0")[:64]


def lines(*names: str) -> list[Line]:
    return [Line(name, f"{name}.pdf", 10, "1", digest(name), "letters@1") for name in names]


class CaseHands(Hands):
    """Runs the programs' parts that touch the database: manifest, facts and verdicts, as the tools do."""

    def __init__(self, cursor: Cursor, documents: Mapping[str, Sequence[str]]) -> None:
        super().__init__(cursor)
        self.documents = documents
        self.bad: set[str] = set()

    def claim_programs(self) -> list[ClaimedJob]:
        return claim(self.cursor, self.worker, slots=200, types=TYPES, budget=1000)

    def end_of(self, job: ClaimedJob) -> Ended:
        """What the program of a job does."""
        payload = job.payload
        if job.job_type == "case_fetch":
            store_manifest(self.cursor, payload["case_number"], lines(*self.documents[payload["case_number"]]))
            return Ended(job, "succeeded", result={"documents": 1, "extractor": "letters@1"})
        if job.job_type == "case_extract":
            if payload["cas_hash"] in self.bad:
                return Ended(job, "failed", error="the PDF is damaged", permanent=True, exit_code=65)
            store_facts(self.cursor, payload["cas_hash"], payload["extractor"], facts())
            return Ended(job, "succeeded", result=facts())
        store_evaluation(
            self.cursor, payload["case_number"], payload["generation"], "heat-pump@1", "approved", [verdict("a")]
        )
        return Ended(job, "succeeded", result={"decision": "approved", "rule_set": "heat-pump@1", "counts": {"met": 1}})

    def run_all(self) -> int:
        return self.run_programs(self.end_of)


def facts(kind: str = "invoice") -> dict[str, Any]:
    return {"kind": kind, "facts": {}, "text_hash": digest("text"), "characters": 7}


def verdict(rule: str, **more: Any) -> dict[str, Any]:
    plain = {"rule": rule, "verdict": "met", "required": True, "document": "", "evidence": [], "note": ""}
    return {**plain, **more}


def boundaries() -> Iterator[int]:
    """How many statements go well before the kill."""
    yield from range(30)
