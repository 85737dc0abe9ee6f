"""The job filter that the queue can't know: jobs of a recipe, over the runs that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import UUIDFilter

from jobs.admin.filter_fields import CHOICES, MOST_COLLECTIONS, Choices
from jobs.filters import JobFilterSet
from jobs.models import Job
from orchestration.models import Orchestration, Run
from synops.graph.admin.sorting import alphabetical

if TYPE_CHECKING:
    from synops.graph.access import Viewer


def of_recipe(rows: QuerySet[Job], _name: str, value: Any) -> QuerySet[Job]:
    """Jobs of the recipe's runs. Indexes: runs_of_recipe, job_queue_run."""
    return rows.filter(run_id__in=Run.objects.filter(orchestration_id=value).values("pk"))


def recipe_choices(user: Viewer, _chosen: str) -> Choices:
    """The recipes that the viewer may see, by title."""
    recipes = Orchestration.objects.visible_to(user).only("title", "node_kind")[:MOST_COLLECTIONS]
    return sorted(((str(one.pk), str(one)) for one in recipes), key=lambda choice: alphabetical(choice[1]))


def add_recipe_filter() -> None:
    """Once the apps are ready."""
    JobFilterSet.add("recipe", UUIDFilter(method=of_recipe, label=_("Recipe")))
    CHOICES["recipe"] = recipe_choices
