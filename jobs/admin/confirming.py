"""The page that asks before jobs are changed, with what the operation has to be told, and the deed after the answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from jobs.admin import columns
from jobs.models import Job
from jobs.operations import Operation, Value, perform, sentence

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


KEPT = ("key", "hours")
"""What the page of failures says of the jobs that it means; the answer says it again."""

FORMS: dict[str, type[forms.Form]] = {"until": UntilForm, "priority": PriorityForm}


def form_of(request: HttpRequest, operation: Operation) -> Any:
    """The operation's form: bound once the person has answered; None when there is nothing to say."""
    wanted = FORMS.get(operation.takes)
    if wanted is None:
        return None
    return wanted(request.POST) if "confirm" in request.POST else wanted()


def confirmed(
    owner: ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Job], operation: Operation, action: str = ""
) -> HttpResponse | None:
    """Ask; or, when the answer has come, do it and return None. `rows` are the selection or all that a filter finds."""
    form = form_of(request, operation)
    if "confirm" not in request.POST or (form is not None and not form.is_valid()):
        return ask(owner, request, rows, operation, form, action)
    ids = rows.order_by().values_list("pk", flat=True).iterator(chunk_size=1_000)
    tell(owner, request, operation, ids, form.value if form else None)
    return None


def ask(
    owner: ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Job], operation: Operation, form: Any, action: str
) -> HttpResponse:
    """The exact numbers and some examples; a count of all is what a deed on all may cost."""
    context = {
        **owner.admin_site.each_context(request),
        "title": operation.button,
        "opts": owner.opts,
        "operation": operation,
        "form": form,
        "total": rows.count(),
        "possible": rows.filter(status__in=operation.states).count(),
        "examples": columns.few(rows),
        "action": action,
        "action_checkbox_name": ACTION_CHECKBOX_NAME,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
        "kept": [(name, value) for name in KEPT for value in request.POST.getlist(name)],
    }
    return TemplateResponse(request, "admin/jobs/job/confirm_action.html", context)


def tell(owner: ModelAdmin[Any], request: HttpRequest, operation: Operation, ids: Any, value: Value = None) -> None:
    """Do it, and say what became of the jobs."""
    result = perform(operation, cast("Any", request.user), ids, value)
    level = messages.SUCCESS if result.changed else messages.WARNING
    owner.message_user(request, sentence(operation, result), level)
