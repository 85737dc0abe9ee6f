"""What the page of one case shows: its runs and steps, its documents with their facts, and the verdicts with their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Q, When

from jobs.pipelines.cases.models import CaseFile, Document, Evaluation, Facts, RuleVerdict
from jobs.pipelines.cases.pipeline import NAME
from jobs.pipelines.cases.words import FACTS, KINDS, REASONS, in_language
from jobs.pipelines.models import Generation, PipelineStep
from synops.graph.admin.rendering import badge
from synops.tools.failures import NotConfigured
from synops.tools.rules.rule_sets import load_rule_set

PER_PAGE = 50
LATEST_RUNS = 10

VERDICT_BADGES = {
    "met": "succeeded",
    "not_met": "failed",
    "unknown": "pending",
    "error": "failed",
    "timed_out": "timed_out",
}
STEP_BADGES = {"permanently_failed": "failed", "failed": "retry", "superseded": "cancelled"}


@dataclass(frozen=True)
class PageOf:
    """A page of a list, and its rows as they are shown."""

    page: Page[Any]
    lines: list[Any]


@dataclass(frozen=True)
class DocumentLine:
    """A document, the step that reads it, and what was found."""

    document: Document
    step: PipelineStep | None
    state: str
    kind: str
    facts: list[tuple[str, Any, str, int]]


@dataclass(frozen=True)
class StepLine:
    """A step of a run: how many of its rows are in which state, and the one row of a step that has no items."""

    name: str
    states: list[tuple[str, int]]
    row: PipelineStep | None


@dataclass(frozen=True)
class RunLine:
    """One run of the case."""

    run: Generation
    state: str
    reason: str
    steps: list[StepLine]


@dataclass(frozen=True)
class VerdictLine:
    """A verdict with its rule's title in the reader's language."""

    verdict: RuleVerdict
    title: str
    state: str
    evidence: list[dict[str, Any]]


def case_context(case: CaseFile, query: Mapping[str, str]) -> dict[str, Any]:
    """Everything the template needs beyond the case itself. `query`: which page of documents and of verdicts."""
    evaluation = case.evaluations.first()
    return {
        "reason": reason_text(case.reason),
        "runs": runs(case),
        "documents": documents(case, query.get("documents")),
        "evaluation": evaluation,
        "verdicts": verdicts(evaluation, query.get("verdicts")) if evaluation else None,
        "counts": verdict_counts(evaluation) if evaluation else [],
        "costs": case.costs.order_by("key"),
        "assessments": case.assessments.order_by("key"),
        "certificates": case.certificates.order_by("number"),
    }


def reason_text(reason: str) -> str:
    """A run's reason as a sentence; one that has no words is shown as it is."""
    return str(REASONS.get(reason, reason))


# -- runs --------------------------------------------------------------------------------------------------------------


def runs(case: CaseFile) -> list[RunLine]:
    """The latest runs, the newest first, with their steps."""
    latest = list(Generation.objects.filter(pipeline=NAME, unit=case.number).order_by("-generation")[:LATEST_RUNS])
    rows = PipelineStep.objects.filter(
        pipeline=NAME, unit=case.number, generation__in=[run.generation for run in latest]
    )
    counted = rows.values("generation", "step", "state").annotate(rows=Count("id")).order_by()
    alone = {(row.generation, row.step): row for row in rows.filter(item="").defer("payload")}
    return [_run(run, list(counted), alone) for run in latest]


def _run(run: Generation, counted: list[Any], alone: Mapping[tuple[int, str], PipelineStep]) -> RunLine:
    mine = [row for row in counted if row["generation"] == run.generation]
    steps = [
        StepLine(
            name,
            [
                (
                    badge(STEP_BADGES.get(row["state"], row["state"]), PipelineStep.State(row["state"]).label),
                    row["rows"],
                )
                for row in mine
                if row["step"] == name
            ],
            alone.get((run.generation, name)),
        )
        for name in ("fetch", "extract", "evaluate")
        if any(row["step"] == name for row in mine)
    ]
    state = badge(STEP_BADGES.get(run.state, run.state), run.get_state_display())
    return RunLine(run, state, reason_text(run.reason), steps)


# -- documents ---------------------------------------------------------------------------------------------------------


def documents(case: CaseFile, number: str | None) -> PageOf:
    """A page of the manifest, each document with its latest step and its facts."""
    page = Paginator(case.documents.order_by("position", "id"), PER_PAGE).get_page(number)
    shown = list(page.object_list)
    steps = _latest_steps(case, [document.key for document in shown])
    facts = _facts(shown)
    lines = [
        _document(document, steps.get(document.key), facts.get((document.cas_hash, document.extractor), {}))
        for document in shown
    ]
    return PageOf(page, lines)


def _latest_steps(case: CaseFile, keys: list[str]) -> dict[str, PipelineStep]:
    """The newest step that read each of these documents. Index: pipeline_steps_once."""
    rows = PipelineStep.objects.filter(pipeline=NAME, unit=case.number, step="extract", item__in=keys)
    return {row.item: row for row in rows.order_by("generation").defer("payload", "result")}


def _facts(shown: list[Document]) -> dict[tuple[str, str], dict[str, Any]]:
    wanted = Facts.objects.filter(cas_hash__in={document.cas_hash for document in shown})
    return {(row.cas_hash, row.extractor): row.found for row in wanted if isinstance(row.found, dict)}


def _document(document: Document, step: PipelineStep | None, found: Mapping[str, Any]) -> DocumentLine:
    facts = found.get("facts")
    kind = document.kind or ""
    return DocumentLine(
        document,
        step,
        badge(STEP_BADGES.get(step.state, step.state), step.get_state_display()) if step else badge("pending", "–"),
        str(KINDS.get(kind, kind)),
        [
            (str(FACTS.get(name, name)), fact.get("value"), str(fact.get("quote", "")), int(fact.get("page") or 0))
            for name, fact in (facts.items() if isinstance(facts, dict) else ())
        ],
    )


# -- verdicts ----------------------------------------------------------------------------------------------------------


def verdicts(evaluation: Evaluation, number: str | None) -> PageOf:
    """A page of verdicts; what stands in the way comes first, for a case may have ten thousand that do not."""
    first = Case(When(~Q(verdict="met") & Q(required=True), then=0), default=1)
    page = Paginator(evaluation.verdicts.order_by(first, "position"), PER_PAGE).get_page(number)
    titles = rule_titles(evaluation.rule_set)
    lines = [
        VerdictLine(
            verdict,
            titles.get(verdict.rule, verdict.rule),
            badge(VERDICT_BADGES[verdict.verdict], verdict.get_verdict_display()),
            [_place(place) for place in verdict.evidence],
        )
        for verdict in page.object_list
    ]
    return PageOf(page, lines)


def _place(place: Mapping[str, Any]) -> dict[str, Any]:
    return {**place, "label": str(FACTS.get(str(place.get("fact")), place.get("fact") or ""))}


def verdict_counts(evaluation: Evaluation) -> list[tuple[str, int]]:
    """How many of each verdict."""
    counted = evaluation.verdicts.values("verdict").annotate(rows=Count("id")).order_by("verdict")
    return [
        (badge(VERDICT_BADGES[row["verdict"]], RuleVerdict(verdict=row["verdict"]).get_verdict_display()), row["rows"])
        for row in counted
    ]


def rule_titles(name: str) -> dict[str, str]:
    """The titles of a rule set's rules; none when the set is not deployed any more, and then the ids are shown."""
    try:
        return {rule.id: in_language(rule.title, rule.id) for rule in load_rule_set(settings.CASES_DIR, name).rules}
    except NotConfigured:
        return {}
