"""Finds what a command line names: a node by id or title, a collection by slug too."""

from __future__ import annotations

from uuid import UUID

from django.core.management.base import CommandError

from synops.graph.models import Node


def find(text: str, kind: str | None = None) -> UUID:
    """A node by id, or by its title when one node has it. Raises CommandError."""
    nodes = Node.objects.filter(**({"node_kind": kind} if kind else {}))
    try:
        rows = nodes.filter(pk=UUID(text))
    except ValueError:
        rows = nodes.filter(title=text)
    found = list(rows.values_list("pk", flat=True)[:2])
    if len(found) != 1:
        raise CommandError(f"{'several nodes have' if found else 'no node has'} the id or title {text!r}")
    return found[0]


def find_collection(text: str) -> UUID:
    """A collection by slug, id or title. Raises CommandError."""
    by_slug = Node.objects.filter(node_kind="collection", metadata__slug=text).values_list("pk", flat=True).first()
    return by_slug or find(text, "collection")
