"""Every role opens every list and the page of its first row: it is there or it is refused, and it never breaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from synops.graph.models import Edge, Node
from synops.site.roles import ROLES
from tests.people import make_node, make_user
from tests.screenshots.scene import build

pytestmark = pytest.mark.django_db

WELL = {200, 302, 403}


@pytest.fixture(scope="module")
def furnished(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The scene of the screenshots: something of everything."""
    with django_db_blocker.unblock(), transaction.atomic():
        build()
        yield
        transaction.set_rollback(True)


def in_role(role: str) -> User:
    """Somebody with the role's rights, who belongs to every collection."""
    user = make_user(f"a {role}")
    user.groups.add(Group.objects.get(name=role))
    person = make_node("person", role, user=user)
    for collection in Node.objects.filter(node_kind="collection"):
        Edge.objects.create(source=person, target=collection, edge_type="member")
    return User.objects.get(pk=user.pk)


@pytest.mark.parametrize("role", ROLES)
def test_every_list_and_every_page_opens_or_is_refused(furnished: None, role: str) -> None:
    client = Client(headers={"accept-language": "nb"})
    client.force_login(in_role(role))
    answers = dict(asked(client))
    assert {path: status for path, status in answers.items() if status not in WELL} == {}
    assert len([path for path, status in answers.items() if "/change/" in path and status == 200]) >= 7


def asked(client: Client) -> Iterator[tuple[str, int]]:
    """Every list, every form for something new, and the page of each list's first row: (address, status)."""
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        listed = client.get(reverse(f"{name}_changelist"))
        rows = listed.context["cl"].result_list if listed.status_code == 200 and "cl" in (listed.context or {}) else ()
        pages = [reverse(f"{name}_add"), *(reverse(f"{name}_change", args=[row.pk]) for row in list(rows)[:1])]
        yield reverse(f"{name}_changelist"), listed.status_code
        yield from ((page, client.get(page).status_code) for page in pages)
