"""People and what they have access to, made through the tables that decide it: edges, not `node_access`."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission, User

from synops.graph.models import Edge, Node


def make_user(name: str, *permissions: str, staff: bool = True, superuser: bool = False) -> User:
    """A user with `app.codename` permissions and no password: hashing one takes half a second."""
    user = User.objects.create_user(name, is_staff=staff, is_superuser=superuser)
    for permission in permissions:
        app, codename = permission.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    return User.objects.get(pk=user.pk)  # without the permission cache


def make_node(kind: str, title: str = "", *, into: Node | None = None, **fields: Any) -> Node:
    """A node, in a collection if one is given."""
    node = Node.objects.create(node_kind=kind, title=title, **fields)
    if into is not None:
        Edge.objects.create(source=node, target=into, edge_type="belongs_to")
    return node


def make_collection(title: str, *members: User) -> Node:
    """A collection and its members."""
    collection = make_node("collection", title, metadata={"slug": title.lower().replace(" ", "-")})
    for member in members:
        person, _ = Node.objects.get_or_create(
            user=member, defaults={"node_kind": "person", "title": member.get_username()}
        )
        Edge.objects.create(source=person, target=collection, edge_type="member")
    return collection
