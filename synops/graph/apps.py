"""App configuration of the knowledge graph."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class GraphConfig(AppConfig):
    """Nodes, edges, access and the event outbox."""

    name = "synops.graph"
    label = "graph"
    verbose_name = _("Knowledge graph")

    def ready(self) -> None:
        from synops.graph.seeds import seed_graph

        post_migrate.connect(seed_graph, sender=self)
