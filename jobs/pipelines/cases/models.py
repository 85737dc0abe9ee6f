"""The replica of cases and what the pipeline makes of them. Programs write these tables (synops/store/cases/)."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.pipelines.cases.words import Decision, Verdict
from synops.graph.columns import DatabaseNow

EMPTY: Any = models.Value({}, models.JSONField())


class Scheme(models.Model):
    """A support scheme. The source owns its name, the operator whether its cases are worked on."""

    key = models.TextField(_("key"), primary_key=True)
    name = models.TextField(_("name"))
    active = models.BooleanField(
        _("active"), default=False, db_default=False, help_text=_("Cases of active schemes are selected.")
    )

    class Meta:
        db_table = "case_schemes"
        verbose_name = _("scheme")
        verbose_name_plural = _("schemes")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class CaseStatus(models.Model):
    """A status that a case can have at the source. The operator says which ones qualify it for the pipeline."""

    key = models.TextField(_("key"), primary_key=True)
    name = models.TextField(_("name"))
    qualifying = models.BooleanField(
        _("qualifying"), default=False, db_default=False, help_text=_("Cases with this status are selected.")
    )

    class Meta:
        db_table = "case_statuses"
        verbose_name = _("case status")
        verbose_name_plural = _("case statuses")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class CaseFile(models.Model):
    """A case: the source's columns, and below them what the pipeline last made of it."""

    number = models.TextField(_("case number"), primary_key=True)
    title = models.TextField(_("title"))
    applicant = models.TextField(_("applicant"), default="", db_default="")
    scheme = models.ForeignKey(
        Scheme, verbose_name=_("scheme"), on_delete=models.DO_NOTHING, db_constraint=False, db_index=False
    )
    status = models.ForeignKey(
        CaseStatus, verbose_name=_("status"), on_delete=models.DO_NOTHING, db_constraint=False, db_index=False
    )
    received_on = models.DateField(_("received"))
    state = models.TextField(_("state"), default="", db_default="")
    reason = models.TextField(_("reason"), default="", db_default="")
    generation = models.IntegerField(_("run"), default=0, db_default=0)
    decision = models.TextField(_("decision"), choices=Decision.choices, default="", db_default="")

    class Meta:
        db_table = "case_files"
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        ordering = ("received_on", "number")
        permissions = [("reanalyse_casefile", _("Can analyse cases again"))]
        indexes = [
            # Selection reads the cases that have never ended a run, oldest first: few, however many have.
            models.Index(fields=["received_on", "number"], name="case_files_selection", condition=Q(state="")),
            models.Index(fields=["received_on", "number"], name="case_files_oldest"),
            models.Index(fields=["state", "number"], name="case_files_state"),
        ]

    def __str__(self) -> str:
        return self.number


class Assessment(models.Model):
    """An assessment that the case has had at the source."""

    case = models.ForeignKey(
        CaseFile, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="assessments"
    )
    key = models.TextField(_("key"))
    kind = models.TextField(_("kind"))
    outcome = models.TextField(_("outcome"))
    assessed_on = models.DateField(_("date"), null=True)

    class Meta:
        db_table = "case_assessments"
        verbose_name = _("assessment")
        verbose_name_plural = _("assessments")
        constraints = [models.UniqueConstraint(fields=["case", "key"], name="case_assessments_once")]

    def __str__(self) -> str:
        return f"{self.case_id} {self.kind}"


class Cost(models.Model):
    """A cost that the applicant has stated, in kroner."""

    case = models.ForeignKey(
        CaseFile, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="costs"
    )
    key = models.TextField(_("key"))
    label = models.TextField(_("label"))
    amount = models.DecimalField(_("amount"), max_digits=14, decimal_places=2)

    class Meta:
        db_table = "case_costs"
        verbose_name = _("cost")
        verbose_name_plural = _("costs")
        constraints = [models.UniqueConstraint(fields=["case", "key"], name="case_costs_once")]

    def __str__(self) -> str:
        return f"{self.case_id} {self.label}"


class Certificate(models.Model):
    """An energy certificate that is linked to a case about a commercial building."""

    case = models.ForeignKey(
        CaseFile, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="certificates"
    )
    number = models.TextField(_("certificate number"))
    address = models.TextField(_("address"), default="", db_default="")
    grade = models.TextField(_("energy grade"), default="", db_default="")
    issued_on = models.DateField(_("issued"), null=True)

    class Meta:
        db_table = "case_certificates"
        verbose_name = _("energy certificate")
        verbose_name_plural = _("energy certificates")
        constraints = [models.UniqueConstraint(fields=["case", "number"], name="case_certificates_once")]

    def __str__(self) -> str:
        return self.number


class Document(models.Model):
    """A line of a case's manifest: a document at the source, and the copy of it in the file store."""

    case = models.ForeignKey(
        CaseFile, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="documents"
    )
    key = models.TextField(_("key"))
    position = models.IntegerField(_("position"))
    name = models.TextField(_("name"))
    size = models.BigIntegerField(_("size"))
    changed_at = models.TextField(_("changed"), default="", db_default="")
    cas_hash = models.CharField(_("digest"), max_length=64)
    extractor = models.TextField(_("extractor"))
    kind = models.TextField(_("kind"), default="", db_default="")
    warning = models.TextField(_("warning"), default="", db_default="")
    fetched_at = models.DateTimeField(_("fetched"), db_default=DatabaseNow())

    class Meta:
        db_table = "case_documents"
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        ordering = ("position", "id")
        constraints = [models.UniqueConstraint(fields=["case", "key"], name="case_documents_once")]
        indexes = [
            models.Index(fields=["kind", "id"], name="case_documents_kind"),
            models.Index(fields=["cas_hash"], name="case_documents_digest"),
        ]

    def __str__(self) -> str:
        return self.name


class Facts(models.Model):
    """What an extractor has found in a document, whichever cases it belongs to."""

    cas_hash = models.CharField(_("digest"), max_length=64)
    extractor = models.TextField(_("extractor"))
    found: models.Field[Any, Any] = models.JSONField(_("facts"), db_default=EMPTY)
    read_at = models.DateTimeField(_("read"), db_default=DatabaseNow())

    class Meta:
        db_table = "case_facts"
        verbose_name = _("facts of a document")
        verbose_name_plural = _("facts of documents")
        constraints = [models.UniqueConstraint(fields=["cas_hash", "extractor"], name="case_facts_once")]

    def __str__(self) -> str:
        return f"{self.cas_hash[:8]} {self.extractor}"


class Evaluation(models.Model):
    """One evaluation of a case, by one run of the pipeline (0 = by hand)."""

    case = models.ForeignKey(
        CaseFile, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="evaluations"
    )
    generation = models.IntegerField(_("run"))
    rule_set = models.TextField(_("rule set"))
    decision = models.TextField(_("decision"), choices=Decision.choices)
    evaluated_at = models.DateTimeField(_("evaluated"), db_default=DatabaseNow())

    class Meta:
        db_table = "case_evaluations"
        verbose_name = _("evaluation")
        verbose_name_plural = _("evaluations")
        ordering = ("-generation",)
        constraints = [models.UniqueConstraint(fields=["case", "generation"], name="case_evaluations_once")]

    def __str__(self) -> str:
        return f"{self.case_id} #{self.generation}"


class RuleVerdict(models.Model):
    """What one rule came to; `document` is a key of the manifest, or empty for a rule about the whole case."""

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="verdicts"
    )
    position = models.IntegerField(_("position"))
    rule = models.TextField(_("rule"))
    verdict = models.TextField(_("verdict"), choices=Verdict.choices)
    required = models.BooleanField(_("required"))
    document = models.TextField(_("document"), default="", db_default="")
    evidence: models.Field[Any, Any] = models.JSONField(_("evidence"), default=list)
    note = models.TextField(_("note"), default="", db_default="")

    class Meta:
        db_table = "case_verdicts"
        verbose_name = _("verdict")
        verbose_name_plural = _("verdicts")
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "position"], name="case_verdicts_once"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="case_verdicts_known"),
        ]

    def __str__(self) -> str:
        return f"{self.rule} {self.verdict}"


class Sync(models.Model):
    """A dump that the replica was brought up to."""

    generated_at = models.DateTimeField(_("as of"))
    synced_at = models.DateTimeField(_("synchronised"), db_default=DatabaseNow())
    counts: models.Field[Any, Any] = models.JSONField(_("rows"), db_default=EMPTY)

    class Meta:
        db_table = "case_syncs"
        verbose_name = _("synchronisation")
        verbose_name_plural = _("synchronisations")
        ordering = ("-id",)

    def __str__(self) -> str:
        return str(self.generated_at)
