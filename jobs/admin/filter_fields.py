"""The filters of the job list as fields of its form, with the choices that the viewer may know of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.http import QueryDict

from jobs.filters import PERIOD_CHOICES, PRIORITIES, JobFilterSet
from jobs.models import Job
from jobs.states import Outcome
from resources.models import PriorityRule
from synops.graph.admin.sorting import alphabetical
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

Choices = list[tuple[str, Any]]

NEWEST = 1_000
MOST_COLLECTIONS = 500
FIRST = ("type", "collection_id", "period")
"""Always in sight; the others stand behind “more filters”."""


@dataclass(frozen=True)
class FilterField:
    """One filter: a choice, a text or a time."""

    name: str
    label: Any
    value: str
    kind: str = "text"
    choices: Choices = field(default_factory=list)


def type_choices(user: Viewer, chosen: str) -> Choices:
    """The types that have a rule, and those of the newest jobs that the viewer may see."""
    newest = Job.objects.visible_to(user).order_by("-created_at", "-id").values_list("job_type", flat=True)[:NEWEST]
    known = set(PriorityRule.objects.values_list("job_type", flat=True))
    return [(name, name) for name in sorted(known | set(newest) | ({chosen} if chosen else set()))]


def collection_choices(user: Viewer, _chosen: str = "", most: int = MOST_COLLECTIONS) -> Choices:
    """The collections that the viewer may see, by title."""
    rows = Node.objects.visible_to(user).filter(node_kind="collection").only("title", "node_kind")
    titles = [(str(node.pk), str(node)) for node in rows[:most]]
    return sorted(titles, key=lambda choice: alphabetical(choice[1]))


CHOICES: dict[str, Callable[[Viewer, str], Choices]] = {
    "type": type_choices,
    "collection_id": collection_choices,
    "period": lambda _user, _chosen: list(PERIOD_CHOICES),
    "outcome": lambda _user, _chosen: list(Outcome.choices),
    "priority": lambda _user, _chosen: list(PRIORITIES),
}
"""Filters that are chosen from a list. Apps above add theirs."""

TIMES = ("created_after", "created_before")


def filter_fields(query: QueryDict, user: Viewer) -> Mapping[str, list[FilterField]]:
    """The fields in two groups, `first` and `more`. The status has chips of its own."""
    names = [name for name in JobFilterSet.base_filters if name != "status"]
    made = [one_field(name, query.get(name, ""), user) for name in names]
    return {
        "first": [one for one in made if one.name in FIRST],
        "more": [one for one in made if one.name not in FIRST],
    }


def one_field(name: str, value: str, user: Viewer) -> FilterField:
    label = JobFilterSet.base_filters[name].label
    if name in CHOICES:
        return FilterField(name, label, value, "choice", CHOICES[name](user, value))
    return FilterField(name, label, value, "time" if name in TIMES else "text")
