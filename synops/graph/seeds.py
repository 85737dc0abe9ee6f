"""What every installation starts with: the system collection and the edge types that give access. Idempotent."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps

from synops.graph.models import AccessEdgeType, Edge, Node
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.presets import SHIPPED, preset_id

ACCESS_EDGE_TYPES = (
    ("owner", AccessEdgeType.Effect.GRANTS, "owner"),
    ("member", AccessEdgeType.Effect.GRANTS, "member"),
    ("participant", AccessEdgeType.Effect.GRANTS, "participant"),
    ("addressed_to", AccessEdgeType.Effect.GRANTS_BACK, "addressee"),
    ("belongs_to", AccessEdgeType.Effect.INHERITS, ""),
)


def is_migrated(apps: Apps, app_label: str, model: str) -> bool:
    """Whether the migrations that have just run left the model's table; false after `migrate APP zero`.

    `flush` sends post_migrate without the apps of a migration: then everything is there.
    """
    try:
        apps.get_model(app_label, model)
    except LookupError:
        return False
    return True


def seed_graph(apps: Apps = installed_apps, **_: Any) -> None:
    """Create what is missing; what a person has changed stays as it is."""
    if not is_migrated(apps, "graph", "Node"):
        return
    for edge_type, effect, role in ACCESS_EDGE_TYPES:
        AccessEdgeType.objects.get_or_create(edge_type=edge_type, defaults={"effect": effect, "role": role})
    Node.objects.get_or_create(
        id=SYSTEM_COLLECTION_ID,
        defaults={"node_kind": "collection", "title": "System", "metadata": {"slug": "system"}},
    )
    for key, title, instruction in SHIPPED:
        metadata = {"key": key, "task": key, "tier": 2}
        defaults = {"node_kind": "ai_preset", "title": title, "content": instruction, "metadata": metadata}
        preset, _made = Node.objects.get_or_create(id=preset_id(key), defaults=defaults)
        Edge.objects.get_or_create(source=preset, edge_type="belongs_to", target_id=SYSTEM_COLLECTION_ID)
