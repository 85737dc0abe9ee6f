"""The knowledge graph: nodes, edges, who may see what, and the outbox of events.

Database triggers keep `node_access` and `graph_events` right whoever writes: Django, a tool, or a person in psql.
The columns, edge types and events are described in docs/graph.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_readable
from synops.graph.columns import DatabaseNow, RandomUUID, RealField, new_id
from synops.graph.downloads import DownloadCount, DownloadWindow, LogPosition

if TYPE_CHECKING:
    from django.db.models.expressions import Combinable

    from synops.graph.access import Viewer

    JsonObjectField = models.Field[dict[str, Any] | Combinable, dict[str, Any]]

__all__ = [
    "AccessEdgeType",
    "DownloadCount",
    "DownloadWindow",
    "Edge",
    "Embedding",
    "GraphEvent",
    "LogPosition",
    "Node",
    "NodeAccess",
    "TranscriptionSegment",
]


class NodeQuerySet(models.QuerySet["Node"]):
    """Nodes, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """Those that `user` has access to through `node_access`; all for a superuser, none for a stranger."""
        return only_readable(self, user, "pk")


class Node(models.Model):
    """Anything the newsroom works with: a collection, a recording, an article, a person, a recipe, a tool."""

    id = models.UUIDField(primary_key=True, default=new_id, db_default=RandomUUID(), editable=False)
    node_kind = models.TextField(_("kind"))
    title = models.TextField(_("title"), blank=True, default="", db_default="")
    content = models.TextField(_("content"), blank=True, default="", db_default="")
    metadata: JsonObjectField = models.JSONField(
        _("metadata"), blank=True, default=dict, db_default=models.Value({}, models.JSONField())
    )
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        help_text=_("The login of a person; only for nodes of kind “person”."),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        related_name="person_node",
    )
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)
    updated_at = models.DateTimeField(_("changed"), db_default=DatabaseNow(), editable=False)

    objects = NodeQuerySet.as_manager()

    class Meta:
        db_table = "nodes"
        verbose_name = _("node")
        verbose_name_plural = _("nodes")
        ordering = ("-created_at", "-id")
        permissions = [("manage_access", _("Can change who has access"))]
        indexes = [
            models.Index(fields=["node_kind", "-created_at", "-id"], name="nodes_kind_created"),
            models.Index(fields=["-created_at", "-id"], name="nodes_created"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(node_kind=""), name="nodes_kind_named"),
            models.CheckConstraint(
                condition=Q(user__isnull=True) | Q(node_kind="person"), name="nodes_only_persons_log_in"
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"{self.node_kind} {str(self.id)[:8]}"


class Edge(models.Model):
    """A typed arrow from one node to another, at most one of each type between two nodes."""

    id = models.UUIDField(primary_key=True, default=new_id, db_default=RandomUUID(), editable=False)
    source = models.ForeignKey(
        Node,
        verbose_name=_("from"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="edges_out",
        db_index=False,
    )
    target = models.ForeignKey(
        Node,
        verbose_name=_("to"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="edges_in",
        db_index=False,
    )
    edge_type = models.TextField(_("type"))
    metadata: JsonObjectField = models.JSONField(
        _("metadata"), blank=True, default=dict, db_default=models.Value({}, models.JSONField())
    )
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)

    class Meta:
        db_table = "edges"
        verbose_name = _("edge")
        verbose_name_plural = _("edges")
        ordering = ("-created_at", "-id")
        indexes = [
            models.Index(fields=["target", "edge_type", "source"], name="edges_target"),
            models.Index(fields=["-created_at", "-id"], name="edges_created"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["source", "edge_type", "target"], name="edges_once"),
            models.CheckConstraint(condition=~Q(edge_type=""), name="edges_type_named"),
            models.CheckConstraint(condition=~Q(source=models.F("target")), name="edges_not_to_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} —{self.edge_type}→ {self.target_id}"


class AccessEdgeType(models.Model):
    """Which edge types grant access: data, so that a newsroom can add its own.

    `grants` = the person at the source gets `role` on the target (`member`). `grants_back` = the person at the
    target gets `role` on the source (`addressed_to`). `inherits` = whoever has access to the target has it to
    the source too (`belongs_to`).
    """

    class Effect(models.TextChoices):
        GRANTS = "grants", _("gives the person at the start a role")
        GRANTS_BACK = "grants_back", _("gives the person at the end a role")
        INHERITS = "inherits", _("passes access on to the start")

    edge_type = models.TextField(_("edge type"), primary_key=True)
    effect = models.TextField(_("effect"), choices=Effect.choices)
    role = models.TextField(_("role"), blank=True, default="", db_default="")

    class Meta:
        db_table = "access_edge_types"
        verbose_name = _("edge type that gives access")
        verbose_name_plural = _("edge types that give access")
        constraints = [
            models.CheckConstraint(
                condition=Q(effect__in=["grants", "grants_back"]) & ~Q(role="") | Q(effect="inherits", role=""),
                name="access_edge_types_role",
            ),
        ]

    def __str__(self) -> str:
        return self.edge_type


class NodeAccess(models.Model):
    """The materialised right to see: `user` has `role` on `node`. Written only by `recompute_access`."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
    )
    node = models.ForeignKey(
        Node, verbose_name=_("node"), on_delete=models.DO_NOTHING, db_constraint=False, related_name="access"
    )
    role = models.TextField(_("role"))

    class Meta:
        db_table = "node_access"
        verbose_name = _("access")
        verbose_name_plural = _("access")
        constraints = [models.UniqueConstraint(fields=["user", "node", "role"], name="node_access_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} {self.node_id}"


class GraphEvent(models.Model):
    """One thing that happened in the graph, waiting for its consumer: `done_at` is null until then.

    There is no cursor over ids: a transaction that commits late would be skipped by one.
    """

    id = models.BigAutoField(primary_key=True)
    event = models.TextField(_("event"))
    op = models.TextField(_("operation"))
    node_id = models.UUIDField(_("node"), null=True)
    edge_id = models.UUIDField(_("edge"), null=True)
    payload: JsonObjectField = models.JSONField(
        _("details"), default=dict, db_default=models.Value({}, models.JSONField())
    )
    chain = ArrayField(models.UUIDField(), verbose_name=_("chain"), null=True)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow())
    done_at = models.DateTimeField(_("handled"), null=True)

    class Meta:
        db_table = "graph_events"
        verbose_name = _("event")
        verbose_name_plural = _("events")
        indexes = [
            models.Index(fields=["id"], name="graph_events_undone", condition=Q(done_at__isnull=True)),
            models.Index(fields=["node_id"], name="graph_events_node"),
            models.Index(fields=["done_at"], name="graph_events_done", condition=Q(done_at__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(op__in=["INSERT", "UPDATE", "CASCADE"]), name="graph_events_known_op"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.id}"


class TranscriptionSegment(models.Model):
    """One sentence of a transcript: what is said in a media node from `start_ms` to `end_ms`. Written by tools."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(
        Node,
        verbose_name=_("recording"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="segments",
    )
    seq = models.IntegerField(_("number"))
    start_ms = models.IntegerField(_("start (ms)"))
    end_ms = models.IntegerField(_("end (ms)"))
    content = models.TextField(_("text"))

    class Meta:
        db_table = "transcription_segments"
        verbose_name = _("transcript sentence")
        verbose_name_plural = _("transcript sentences")
        ordering = ("node", "seq")
        constraints = [
            models.UniqueConstraint(fields=["node", "seq"], name="transcription_segments_once"),
            models.CheckConstraint(
                condition=Q(start_ms__gte=0, end_ms__gte=models.F("start_ms")), name="transcription_segments_in_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} {self.seq}"


class Embedding(models.Model):
    """A passage of a node's text as a vector, so that texts can be found by meaning. Written by synops-embed.

    Vectors of different models can't be compared, so the model stands with each. `real[]` is there on every server;
    where pgvector is too, `sync_tools` adds an index over it (synops/graph/vector_index.py).
    """

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(
        Node,
        verbose_name=_("node"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="embeddings",
    )
    model = models.TextField(_("model"))
    seq = models.IntegerField(_("number"))
    content = models.TextField(_("passage"))
    source_hash = models.TextField(_("hash of the whole text"))
    dimensions = models.IntegerField(_("dimensions"))
    vector: models.Field[list[float], list[float]] = ArrayField(RealField(), verbose_name=_("vector"))
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)

    class Meta:
        db_table = "embeddings"
        verbose_name = _("passage vector")
        verbose_name_plural = _("passage vectors")
        ordering = ("node", "model", "seq")
        constraints = [
            models.UniqueConstraint(fields=["node", "model", "seq"], name="embeddings_once"),
            models.CheckConstraint(condition=Q(seq__gte=1, dimensions__gte=1), name="embeddings_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} {self.model} {self.seq}"
