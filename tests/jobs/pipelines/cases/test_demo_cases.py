"""The demo's cases go through the real pipeline: source, replica, selection, programs, rules. Every verdict is checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from jobs.models import Generation, PipelineStep
from jobs.pipelines.cases.models import CaseFile, Document, Evaluation, Sync
from synops.demo.cases import demo_cases, write
from tests.web import database_url

NOT_MET = {
    "2026/104": {"invoice-after-application"},
    "2026/105": {"not-withdrawn"},
    "2026/106": {"costs-documented"},
    "2026/202": {"grade"},
    "2026/203": {"certificate-registered", "no-rejected-assessment"},
}


def work_off(var: Path) -> None:
    """A real worker, until there is nothing left to do."""
    done = subprocess.run(
        [sys.executable, "manage.py", "runworker", "--drain", "--poll-interval=200ms", "--max-concurrent=3"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": database_url(), "SYNOPS_VAR": str(var)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.django_db(transaction=True)
def test_every_case_of_the_demo_comes_to_what_it_is_meant_for(tmp_path: Path) -> None:
    write(tmp_path / "cases")
    call_command("sync_cases")
    work_off(tmp_path)
    cases = {case.number: case for case in CaseFile.objects.all()}
    found = {number: (case.state, case.decision) for number, case in cases.items()}
    assert found == {case.number: (case.state, case.decision) for case in demo_cases()}
    assert Sync.objects.count() == 1
    assert Generation.objects.filter(generation__gt=1).count() == 0
    check_verdicts()
    check_steps(cases)


def check_verdicts() -> None:
    not_met: dict[str, set[str]] = {}
    for evaluation in Evaluation.objects.prefetch_related("verdicts"):
        for verdict in evaluation.verdicts.filter(verdict="not_met", required=True):
            not_met.setdefault(evaluation.case_id, set()).add(verdict.rule)
    assert not_met == NOT_MET
    withdrawn = Evaluation.objects.get(case_id="2026/105").verdicts.get(rule="not-withdrawn")
    assert [(place["document"], place["value"]) for place in withdrawn.evidence] == [("3-e-post.eml", True)]
    model = Evaluation.objects.get(case_id="2026/101").verdicts.get(rule="model-named")
    assert (model.verdict, model.document) == ("met", "2-faktura.pdf")
    assert model.evidence[0]["quote"] == "Varmepumpe Panasonic Aquarea med montering"


def check_steps(cases: dict[str, CaseFile]) -> None:
    assert cases["2026/303"].reason == "none:extract"
    # Nothing was read, so nothing was judged: “not approved” would hide that no document could be read.
    assert not Evaluation.objects.filter(case_id__in=["2026/301", "2026/302", "2026/303"]).exists()
    errors = dict(PipelineStep.objects.filter(unit="2026/302", step="extract").values_list("item", "error"))
    assert "no text" in errors["1-skann.pdf"]
    assert "encrypted" in errors["2-faktura.pdf"]
    assert "damaged" in errors["3-skadet.docx"]
    states = dict(PipelineStep.objects.filter(unit="2026/103", step="extract").values_list("item", "state"))
    assert states == {
        "1-soknad.docx": "succeeded",
        "2-faktura.pdf": "succeeded",
        "3-tom.pdf": "permanently_failed",
        "4-notat.txt": "excluded",
    }
    kinds = dict(Document.objects.filter(case_id="2026/102").values_list("key", "kind"))
    assert list(kinds.values()) == ["application", "invoice", "invoice", "email"]
    # No analyzer is deployed for this scheme: nothing is written, so selection finds the case again.
    assert not Generation.objects.filter(unit="2026/401").exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM job_queue WHERE status IN ('pending', 'retry', 'running')")
        assert cursor.fetchone()[0] == 0
