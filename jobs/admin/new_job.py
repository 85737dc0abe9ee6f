"""A new job by hand: the form of its payload is made from what the tool says of itself, or is JSON for inline types."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from jobs import tool_nodes
from jobs.admin.changelist import visible_jobs
from jobs.admin.filter_fields import collection_choices
from jobs.enqueueing import Refused, enqueue_as
from jobs.models import Job
from jobs.queue import NewJob
from jobs.registries import registries
from synops.graph.admin.bases import person, viewer
from synops.tools.describe import Description, Param

if TYPE_CHECKING:
    from django.contrib.admin.options import ModelAdmin

    from synops.graph.access import Viewer

PARAM = "param-"


class JobForm(forms.Form):
    """What every job has; the fields of its payload are added by its type."""

    collection = forms.ChoiceField(label=_("Collection"))
    priority = forms.TypedChoiceField(
        label=_("Priority"),
        required=False,
        coerce=int,
        empty_value=None,
        choices=[("", _("the type's own")), *((number, str(number)) for number in range(10, -1, -1))],
    )
    at = forms.DateTimeField(
        label=_("Not before"), required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )

    def __init__(self, user: Viewer, description: Description | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].choices = collection_choices(user)  # type: ignore[attr-defined]
        self.payload_fields = [one for one in description.params if not one.by_hand] if description else []
        for param in self.payload_fields:
            self.fields[PARAM + param.name] = field_of(param)
        if description is None:
            self.fields["payload"] = forms.JSONField(
                label=_("Payload (JSON)"),
                initial=dict,
                widget=forms.Textarea(attrs={"rows": 10, "class": "json-field", "spellcheck": "false"}),
            )

    def payload(self) -> Any:
        """The payload as the queue wants it: only what has been filled in."""
        if "payload" in self.fields:
            return self.cleaned_data["payload"]
        given = {one.name: self.cleaned_data[PARAM + one.name] for one in self.payload_fields}
        return {name: as_json(value) for name, value in given.items() if value not in (None, "", False)}


def as_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def in_words(text: Any) -> str:
    """A description's sentence in the reader's language."""
    return str(text.get(get_language() or "en") or text.get("en") or "")


def field_of(param: Param) -> forms.Field:
    """The form field of one param. What is wrong with values is said by the tool's own check, in the same words as elsewhere."""
    common: dict[str, Any] = {
        "label": param.name,
        "required": param.required,
        "help_text": in_words(param.description),
    }
    if param.enum is not None and not param.enum_open:
        return forms.ChoiceField(**common, choices=[("", "–"), *((value, value) for value in param.enum)])
    if param.type == "boolean":
        return forms.BooleanField(**{**common, "required": False})
    if param.type == "integer":
        return forms.IntegerField(**common, min_value=whole(param.minimum), max_value=whole(param.maximum))
    if param.type == "number":
        return forms.FloatField(**common, min_value=param.minimum, max_value=param.maximum)
    if param.type == "date":
        return forms.DateField(**common, widget=forms.DateInput(attrs={"type": "date"}))
    widget = forms.Textarea(attrs={"rows": 6}) if param.type == "text" else forms.TextInput()
    return forms.CharField(**common, widget=widget)


def whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def known_types() -> dict[str, Description | None]:
    """What can be enqueued: types of tools with their description, and inline types."""
    with connection.cursor() as cursor:
        described = tool_nodes.descriptions(cursor)
    return {**dict.fromkeys(registries.inline), **described}


def new_job_view(owner: ModelAdmin[Any]) -> Callable[[HttpRequest], HttpResponse]:
    """`?type=T` is the form of a type, `?from=ID` a copy of a job; without either a choice of types."""

    def view(request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm("jobs.enqueue_job"):
            raise PermissionDenied
        types = known_types()
        original = original_of(request)
        job_type = original.job_type if original else request.GET.get("type", "")
        context = {
            **owner.admin_site.each_context(request),
            "title": _("New job"),
            "opts": owner.opts,
            "types": sorted(types),
            "job_type": job_type,
            "known": job_type in types,
            "original": original,
        }
        if job_type in types:
            form = form_for(request, types[job_type], original)
            if request.method == "POST" and form.is_valid() and (made := enqueued(request, form, job_type)):
                return HttpResponseRedirect(reverse("admin:jobs_job_change", args=[made]))
            context["form"] = form
        return TemplateResponse(request, "admin/jobs/job/new.html", context)

    return view


def original_of(request: HttpRequest) -> Job | None:
    """The job to copy, if there is one that the person may see."""
    try:
        wanted = UUID(request.GET.get("from", ""))
    except ValueError:
        return None
    if not request.user.has_perm("jobs.view_job"):
        raise PermissionDenied
    return visible_jobs(viewer(request)).filter(pk=wanted).first()


def form_for(request: HttpRequest, description: Description | None, original: Job | None) -> JobForm:
    if request.method == "POST":
        return JobForm(viewer(request), description, request.POST)
    # A link from elsewhere may have filled in some of it: the page of a node offers the jobs that fit.
    initial: dict[str, Any] = {
        name: value for name, value in request.GET.items() if name.startswith((PARAM, "collection"))
    }
    if original is not None:
        initial = {"collection": str(original.collection_node_id), "priority": original.priority}
        initial |= {PARAM + name: value for name, value in original.payload.items()} | {"payload": original.payload}
    return JobForm(viewer(request), description, initial=initial)


def enqueued(request: HttpRequest, form: JobForm, job_type: str) -> UUID | None:
    """The new job's id; None when it was refused, which the form then says."""
    given = form.cleaned_data
    job = NewJob(UUID(given["collection"]), job_type, form.payload(), given["priority"], scheduled_for=given["at"])
    try:
        return enqueue_as(person(request), job)
    except Refused as refused:
        form.add_error(None, str(refused))
    except PermissionError:
        raise PermissionDenied from None
    return None
