"""The tools of the case pipeline, on the demo's cases."""

from __future__ import annotations

from collections.abc import Iterator

from synops.demo.cases import demo_cases, write
from tests.benchmarks.tools.workplace import Row, Run, Workplace

NUMBER = "2026/102"
"""Approved on two invoices, of which one is a PDF and one a Word document."""


def cases(place: Workplace) -> Iterator[Row]:
    source = place.home.folder / "cases-source"
    write(source)
    environ = {"CASES_SOURCE": str(source)}
    synced = place.run("synops-case-sync", "--write", **environ)
    yield Row(
        "synops-case-sync",
        f"{len(demo_cases())} cases of a folder",
        synced,
        f"{synced.result['changed']['cases']} cases",
    )
    fetched = place.run("synops-case-fetch", f"--case-number={NUMBER}", "--write", **environ)
    yield Row("synops-case-fetch", "the documents of a case", fetched, f"{fetched.result['fetched']} documents")
    read = [
        place.run("synops-extract", f"--cas-hash={digest}", "--write")
        for (digest,) in place.rows("SELECT cas_hash FROM case_documents WHERE case_id = %s ORDER BY position", NUMBER)
    ]
    longest = max(read, key=lambda run: run.seconds)
    yield Row("synops-extract", "the slowest of a case's documents", longest, _kinds(read))
    judged = place.run("synops-evaluate", f"--case-number={NUMBER}", "--write")
    decision = next(case.decision for case in demo_cases() if case.number == NUMBER)
    right = "as it must be" if judged.result["decision"] == decision else f"must be {decision}"
    yield Row("synops-evaluate", "a case", judged, f"{judged.result['decision']}, {right}")


def _kinds(read: list[Run]) -> str:
    return "kinds " + ", ".join(run.result["kind"] for run in read)
