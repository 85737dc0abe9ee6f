"""Which jobs a person may see: those of the collections that they have access to (spec, jobbkø §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db.models import QuerySet

from synops.graph.access import only_readable

if TYPE_CHECKING:
    from synops.graph.access import Viewer


class JobQuerySet(QuerySet["Job"]):
    """Jobs, and which of them a person may see."""

    def visible_to(self, user: Viewer) -> Self:
        """Jobs of collections that `user` has access to; all for a superuser, none for a stranger."""
        return only_readable(self, user, "collection_node_id")
