"""The one set of filters for jobs, shared by the admin list and the API: `status`, `type`, `collection_id`."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter, FilterSet, UUIDFilter

from jobs.models import Job
from jobs.states import Status


class JobFilterSet(FilterSet):  # type: ignore[misc]
    """Names as in the spec's URL. A value that can't be one makes the set invalid; its errors say why."""

    status = ChoiceFilter(choices=Status.choices, label=_("Status"))
    type = CharFilter(field_name="job_type", label=_("Type"))
    collection_id = UUIDFilter(field_name="collection_node_id", label=_("Collection"))

    class Meta:
        model = Job
        fields: list[str] = []
