"""The page that asks before jobs are changed, with what the operation has to be told, and the deed after the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from jobs.admin import columns
from jobs.bulk.beginning import AT_ONCE, Chosen, Numbers, begin, numbers
from jobs.display import Shown
from jobs.models import Job
from jobs.operations import Operation, Value, perform, sentence
from synops.graph.patience import TookTooLong, patience

COUNTING_SECONDS = 20.0
"""The count before the question is exact, so that it may take longer than a page; the proxy waits for 60 s."""

LATER = {
    "10m": (_("10 minutes"), timedelta(minutes=10)),
    "1h": (_("1 hour"), timedelta(hours=1)),
    "24h": (_("24 hours"), timedelta(hours=24)),
    "at": (_("until the time below"), None),
}


class UntilForm(forms.Form):
    """Until when jobs are deferred."""

    later = forms.ChoiceField(label=_("How long"), choices=[(key, label) for key, (label, _span) in LATER.items()])
    until = forms.DateTimeField(
        label=_("Time"), required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("later") == "at":
            until = given.get("until")
            if until is None:
                self.add_error("until", _("Give a time."))
            elif until <= timezone.now():
                self.add_error("until", _("This time is past."))
        return given

    @property
    def value(self) -> datetime:
        span = LATER[self.cleaned_data["later"]][1]
        return timezone.now() + span if span else cast("datetime", self.cleaned_data["until"])


class PriorityForm(forms.Form):
    """Which priority jobs get."""

    priority = forms.TypedChoiceField(
        label=_("Priority"), coerce=int, choices=[(number, str(number)) for number in range(10, -1, -1)], initial=5
    )

    @property
    def value(self) -> int:
        return int(self.cleaned_data["priority"])


KEPT = ("key", "hours", "operation")
"""What the page of failures says of the jobs that it means; the answer says it again."""

FORMS: dict[str, type[forms.Form]] = {"until": UntilForm, "priority": PriorityForm}


def form_of(request: HttpRequest, operation: Operation) -> Any:
    """The operation's form: bound once the person has answered; None when there is nothing to say."""
    wanted = FORMS.get(operation.takes)
    if wanted is None:
        return None
    return wanted(request.POST) if "confirm" in request.POST else wanted()


def confirmed(
    owner: ModelAdmin[Any],
    request: HttpRequest,
    rows: QuerySet[Job],
    operation: Operation,
    action: str = "",
    chosen: Chosen | None = None,
) -> HttpResponse | None:
    """Ask; or, when the answer has come, do it and return None. `rows` are the selection or all that a filter finds.

    `chosen` says the same of them in a way that can be kept: more than AT_ONCE are then left to the workers, and the
    answer leads to the page that says how far they have come.
    """
    try:
        with patience(COUNTING_SECONDS):
            counted, examples = numbers(rows, operation), columns.few(rows)
    except TookTooLong:
        return too_long(owner, request)
    form = form_of(request, operation)
    if "confirm" not in request.POST or (form is not None and not form.is_valid()):
        return ask(owner, request, operation, form, action, counted, examples)
    value = form.value if form else None
    if chosen is not None and counted.possible > AT_ONCE:
        bulk = begin(operation, cast("Any", request.user), chosen, counted, value)
        return HttpResponseRedirect(reverse("admin:jobs_bulkoperation_change", args=[bulk.pk]))
    ids = list(rows.filter(status__in=operation.states).order_by().values_list("pk", flat=True))
    tell(owner, request, operation, ids, value, counted.others)
    return None


def ask(
    owner: ModelAdmin[Any],
    request: HttpRequest,
    operation: Operation,
    form: Any,
    action: str,
    counted: Numbers,
    examples: list[tuple[Job, Shown]],
) -> HttpResponse:
    """The exact numbers and some examples."""
    context = {
        **owner.admin_site.each_context(request),
        "title": operation.button,
        "opts": owner.opts,
        "operation": operation,
        "form": form,
        "total": counted.total,
        "possible": counted.possible,
        "by_workers": counted.possible > AT_ONCE,
        "examples": examples,
        "action": action,
        "action_checkbox_name": ACTION_CHECKBOX_NAME,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
        "kept": [(name, value) for name in KEPT for value in request.POST.getlist(name)],
    }
    return TemplateResponse(request, "admin/jobs/job/confirm_action.html", context)


def too_long(owner: ModelAdmin[Any], request: HttpRequest) -> HttpResponse:
    """The page that says what to narrow."""
    context = {**owner.admin_site.each_context(request), "title": _("This took too long"), "opts": owner.opts}
    return TemplateResponse(request, "admin/jobs/job/too_long.html", context, status=503)


def tell(
    owner: ModelAdmin[Any],
    request: HttpRequest,
    operation: Operation,
    ids: Iterable[UUID],
    value: Value = None,
    others: Mapping[str, int] | None = None,
) -> None:
    """Do it, and say what became of the jobs; `others` were chosen too, and are in a state that it does not change."""
    result = perform(operation, cast("Any", request.user), ids, value)
    result.skipped.update(others or {})
    level = messages.SUCCESS if result.changed else messages.WARNING
    owner.message_user(request, sentence(operation, result), level)
