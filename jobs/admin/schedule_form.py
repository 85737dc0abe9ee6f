"""The form of a schedule: a cron line, a zone and a payload that are checked where they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from jobs.enqueueing import payload_problems
from jobs.models import Schedule
from jobs.queue import NewJob
from jobs.schedules import CronRefused, check

if TYPE_CHECKING:
    ScheduleModelForm = forms.ModelForm[Schedule]
else:
    ScheduleModelForm = forms.ModelForm

FIELD_SENTENCES: tuple[Promise, ...] = (
    _("The minute, the first field, is not right: 0–59, * or */5, lists with commas, ranges such as 10-20."),
    _("The hour, the second field, is not right: 0–23, * or */2, lists with commas, ranges such as 8-16."),
    _("The day of the month, the third field, is not right: 1–31, *, L for the last, lists with commas, ranges."),
    _("The month, the fourth field, is not right: 1–12 or JAN–DEC, *, lists with commas, ranges."),
    _("The day of the week, the fifth field, is not right: 0–7 or SUN–SAT, 1-5 for working days, MON#1, 5L."),
)
SENTENCES: dict[str, Promise] = {
    "length": _("This line is too long."),
    "fields": _("Five fields are needed: minute, hour, day of the month, month, day of the week."),
    "never": _("This names a day that never comes, such as 31 February."),
    "zone": _("There is no such time zone; Europe/Oslo is one."),
}


def refusal(refused: CronRefused) -> str:
    """Why a line is refused, in the reader's language."""
    if refused.field is not None and refused.code == "field":
        return str(FIELD_SENTENCES[refused.field])
    return str(SENTENCES.get(refused.code, refused))


class ScheduleForm(ScheduleModelForm):
    """A schedule. Fields that the page only shows are not there."""

    class Meta:
        model = Schedule
        exclude = ()
        widgets = {
            "name": forms.TextInput(attrs={"class": "vTextField"}),
            "cron": forms.TextInput(attrs={"class": "vTextField", "spellcheck": "false"}),
            "timezone": forms.TextInput(attrs={"class": "vTextField", "list": "zones"}),
            "job_type": forms.TextInput(attrs={"class": "vTextField", "spellcheck": "false"}),
            "description": forms.Textarea(attrs={"rows": 2}),
        }

    def clean_cron(self) -> str:
        try:
            return check(self.cleaned_data["cron"])
        except CronRefused as refused:
            raise ValidationError(refusal(refused)) from refused

    def clean_timezone(self) -> str:
        name: str = self.cleaned_data["timezone"].strip()
        if name not in available_timezones():
            raise ValidationError(str(SENTENCES["zone"]))
        return name

    def clean(self) -> dict[str, Any]:
        """The job must be one that could be enqueued now."""
        given = super().clean() or {}
        if "payload" in self.fields and not self.errors:
            self._check_job(given)
        return given

    def _check_job(self, given: dict[str, Any]) -> None:
        payload = {} if given.get("payload") is None else given["payload"]
        if not isinstance(payload, dict):
            self.add_error("payload", _("An object is needed, such as {}."))
            return
        with connection.cursor() as cursor:
            problems = payload_problems(cursor, NewJob(given["collection_node"].pk, given["job_type"], payload))
        for problem in problems:
            self.add_error("job_type" if "no tool describes" in problem else "payload", problem)
