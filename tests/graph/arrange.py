"""What tests of the graph arrange: people with logins, nodes and edges."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from synops.graph.models import Edge, Node, NodeAccess


def login(name: str) -> User:
    return User.objects.create_user(name, password=None, is_staff=True)


def node(kind: str, title: str = "", **fields: Any) -> Node:
    return Node.objects.create(node_kind=kind, title=title or kind, **fields)


def person(name: str) -> Node:
    return node("person", name, user=login(name))


def edge(source: Node, edge_type: str, target: Node, **metadata: Any) -> Edge:
    return Edge.objects.create(source=source, target=target, edge_type=edge_type, metadata=metadata)


def sees(someone: Node) -> set[str]:
    """Titles of what a person sees, without themselves."""
    assert someone.user is not None
    return set(Node.objects.visible_to(someone.user).exclude(pk=someone.pk).values_list("title", flat=True))


def roles(someone: Node, target: Node) -> set[str]:
    return set(NodeAccess.objects.filter(user=someone.user, node=target).values_list("role", flat=True))
