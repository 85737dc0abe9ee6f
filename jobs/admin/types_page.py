"""Every job type on one page: how it does, and its limits, which are changed in place and count from the next claim on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from jobs.admin.spans import SPANS, hours_of
from jobs.statistics import TypeFigures, type_figures, types_now
from resources.audited import change_rule
from resources.models import PriorityRule
from resources.rules import RuleRefused
from synops.graph.admin.bases import person
from synops.graph.patience import patience

if TYPE_CHECKING:
    from django.contrib.admin.options import ModelAdmin

EDITABLE = ("base_priority", "cpu_weight", "max_concurrent", "timeout_seconds")


@dataclass(frozen=True)
class TypeLine:
    """One type: its rule (None = the defaults hold), what there is of it now, and what ended lately (None = nothing)."""

    job_type: str
    rule: PriorityRule | None
    due: int
    later: int
    running: int
    figures: TypeFigures | None

    @property
    def paused(self) -> bool:
        return self.rule is not None and self.rule.paused

    @property
    def limits(self) -> list[tuple[str, Any, int]]:
        """Name, label and value of each limit that is edited here."""
        rule = self.rule or PriorityRule(job_type=self.job_type)
        fields: list[Any] = [PriorityRule._meta.get_field(name) for name in EDITABLE]
        return [(field.name, field.verbose_name, getattr(rule, field.name)) for field in fields]


def type_lines(user: Any, hours: int) -> list[TypeLine]:
    """The types that have a rule, and those of which the viewer has jobs that ended lately."""
    rules = {rule.job_type: rule for rule in PriorityRule.objects.all()}
    with connection.cursor() as cursor:
        figures = type_figures(cursor, user, hours)
        names = sorted({*rules, *figures})
        now = types_now(cursor, user, names)
    return [TypeLine(name, rules.get(name), *now[name], figures.get(name)) for name in names]


def types_view(owner: ModelAdmin[Any]) -> Callable[[HttpRequest], HttpResponse]:
    """The page; a POST changes one rule."""

    def view(request: HttpRequest) -> HttpResponse:
        user = person(request)
        if not user.has_perm("jobs.view_job"):
            raise PermissionDenied
        if request.method == "POST":
            change(owner, request)
            return HttpResponseRedirect(request.get_full_path())
        hours = hours_of(request.GET)
        with patience():
            lines = type_lines(user, hours)
        context = {
            **owner.admin_site.each_context(request),
            "title": _("Job types"),
            "opts": owner.opts,
            "lines": lines,
            "spans": SPANS,
            "hours": hours,
            "may_change": user.has_perm("resources.change_priorityrule"),
        }
        return TemplateResponse(request, "admin/jobs/job/types.html", context)

    return view


def change(owner: ModelAdmin[Any], request: HttpRequest) -> None:
    """One rule, by the function that the API uses too; what is wrong is said, and nothing has changed."""
    job_type = request.POST.get("job_type", "")
    try:
        done = change_rule(person(request), job_type, asked(request.POST))
    except PermissionError:
        raise PermissionDenied from None
    except RuleRefused as refused:
        owner.message_user(request, f"{job_type}: {refused}", messages.ERROR)
        return
    said = _("%(type)s: changed, and counts from the next claim on.") if done.after else _("%(type)s: nothing changed.")
    owner.message_user(request, said % {"type": job_type}, messages.SUCCESS)


def asked(data: QueryDict) -> dict[str, Any]:
    """The fields of the form as the rule wants them; text that is no number stays text, and is refused there."""
    fields: dict[str, Any] = {name: number(str(data[name])) for name in EDITABLE if name in data}
    if "paused" in data:
        fields["paused"] = data["paused"] == "yes"
    return fields


def number(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text
