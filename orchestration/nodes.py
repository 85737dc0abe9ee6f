"""Nodes that recipes deal in, by kind: recipes, work items and tools, as proxies of the graph's node."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import DateTimeField, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from orchestration.states import Executor, Layer, RecipeState
from synops.graph.columns import DatabaseNow
from synops.graph.models import Edge, Node, NodeQuerySet

Rows = TypeVar("Rows", bound=NodeQuerySet)


def of_kind(kind: str, rows: type[Rows]) -> Any:
    """A manager that shows only the nodes of one kind."""

    class OfKind(models.Manager[Any]):
        def get_queryset(self) -> Rows:
            return rows(self.model, using=self._db).filter(node_kind=kind)

    return OfKind.from_queryset(rows)()


class Orchestration(Node):
    """A recipe. Text in `content`; everything else that is known about it in `metadata`, derived when it is saved.

    Change one through orchestration.recipes only: it compiles, keeps versions and draws the edges.
    """

    KIND: ClassVar[str] = "orchestration"
    objects: ClassVar[Any] = of_kind(KIND, NodeQuerySet)

    class Meta:
        proxy = True
        verbose_name = _("recipe")
        verbose_name_plural = _("recipes")
        permissions = [
            ("activate_orchestration", _("Can activate recipes")),
            ("run_orchestration", _("Can start recipes by hand")),
        ]

    @property
    def state(self) -> RecipeState:
        value = self.metadata.get("state")
        return RecipeState(value) if value in RecipeState.values else RecipeState.DRAFT

    @property
    def executor(self) -> Executor:
        value = self.metadata.get("executor")
        return Executor(value) if value in Executor.values else Executor.SCRIPT

    @property
    def source_layer(self) -> Layer:
        return Layer.TECHNICAL if self.metadata.get("source_layer") == Layer.TECHNICAL else Layer.HUMAN

    @property
    def trigger(self) -> dict[str, Any]:
        """The spec's structured trigger: {"event": …, "conditions": …}; empty while the text does not compile."""
        return dict(self.metadata.get("trigger") or {})

    @property
    def compiled(self) -> dict[str, Any] | None:
        """The compiled recipe, or None while its text has errors."""
        value = self.metadata.get("compiled")
        return value if isinstance(value, dict) else None

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """What the compiler said about the text when it was last compiled, as JSON records."""
        value = self.metadata.get("diagnostics")
        return value if isinstance(value, list) else []

    @property
    def version(self) -> int:
        """The number of the newest version; 0 for a node that was never saved as a recipe."""
        return int(self.metadata.get("version") or 0)

    @property
    def language(self) -> str:
        """nb, nn or en: the language of the work items that its runs make."""
        return str(self.metadata.get("language") or "nb")

    @property
    def intelligence(self) -> int:
        return int(self.metadata.get("intelligence") or 2)

    @property
    def effort(self) -> int:
        return int(self.metadata.get("effort") or 2)


_UNTIL = Cast(KeyTextTransform("until", KeyTransform("claim", "metadata")), DateTimeField())


class WorkItemQuerySet(NodeQuerySet):
    """Work items: open ones, who holds them, and their tags in one query."""

    def open(self) -> WorkItemQuerySet:
        return self.filter(metadata__status="open")

    def free(self) -> WorkItemQuerySet:
        """Open, without an answer, and held by nobody."""
        return self._unanswered().filter(Q(until__isnull=True) | Q(until__lte=DatabaseNow()))

    def held(self) -> WorkItemQuerySet:
        """Open, without an answer, and held by somebody now; `metadata.claim.by` says whose."""
        return self._unanswered().filter(until__gt=DatabaseNow())

    def _unanswered(self) -> WorkItemQuerySet:
        rows: WorkItemQuerySet = self.open().alias(until=_UNTIL)
        return rows.exclude(metadata__has_key="answer")

    def answered(self) -> WorkItemQuerySet:
        """Open, with a script that waits for a person's approval."""
        return self.open().filter(metadata__has_key="answer")

    def tagged(self, tag: str) -> WorkItemQuerySet:
        return self.filter(edges_out__edge_type="tagged", edges_out__target__title__iexact=tag)

    def with_tags(self) -> WorkItemQuerySet:
        """Each row with `tag_names`, sorted; no query per row."""
        tags = Edge.objects.filter(source=OuterRef("pk"), edge_type="tagged").order_by("target__title")
        rows: WorkItemQuerySet = self.annotate(tag_names=ArraySubquery(tags.values("target__title")))
        return rows


@dataclass(frozen=True)
class Holder:
    """Who holds a work item: the user's id and name, the number that fences what they send, and the end of it."""

    by: int
    name: str
    lease: int
    until: datetime


class WorkItem(Node):
    """Something for a person to do, made by a run or by drafting. Change one through orchestration.work_items."""

    KIND: ClassVar[str] = "work_item"
    objects: ClassVar[Any] = of_kind(KIND, WorkItemQuerySet)

    class Meta:
        proxy = True
        verbose_name = _("work item")
        verbose_name_plural = _("work items")
        permissions = [
            ("close_workitem", _("Can close work items")),
            ("answer_workitem", _("Can take work items and answer them with a script")),
        ]

    @property
    def is_open(self) -> bool:
        return bool(self.metadata.get("status") == "open")

    @property
    def holder(self) -> Holder | None:
        """Who took it last; the claim may have run out."""
        claim = self.metadata.get("claim")
        until = parse_datetime(str(claim.get("until"))) if isinstance(claim, dict) else None
        return Holder(int(claim["by"]), str(claim["name"]), int(claim["lease"]), until) if claim and until else None

    @property
    def answer(self) -> dict[str, Any] | None:
        """The answer that waits to be approved: version, base_version, by, name, at, note."""
        given = self.metadata.get("answer")
        return given if isinstance(given, dict) else None

    @property
    def times(self) -> int:
        """How often its cause has come back since it was opened."""
        return int(self.metadata.get("times") or 1)


class Tool(Node):
    """A program that recipes can use, as `manage.py sync_tools` stored what it says about itself."""

    KIND: ClassVar[str] = "cli_tool"
    objects: ClassVar[Any] = of_kind(KIND, NodeQuerySet)

    class Meta:
        proxy = True
        verbose_name = _("tool")
        verbose_name_plural = _("tools")

    @property
    def binary(self) -> str:
        return str(self.metadata.get("name") or self.metadata.get("binary") or self.title)
