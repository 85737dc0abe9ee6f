"""Roles, accounts, notices and the language of a person; one test for each way in which something unseen could show."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from jobs.models import Job
from jobs.operations import OPERATIONS
from synops.graph.models import Edge, Node
from synops.site.models import Preference
from synops.site.roles import ROLES, seed_roles
from tests.jobs.making import ended_job, make_job
from tests.orchestration.test_admin import make_run
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


def in_role(name: str, role: str) -> Any:
    user = make_user(name)
    user.groups.add(Group.objects.get(name=role))
    return User.objects.get(pk=user.pk)


def client_of(user: Any, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(user)
    return client


# Roles


def test_each_role_has_the_rights_that_it_names_and_seeding_again_changes_nothing():
    for name, rights in ROLES.items():
        held = Group.objects.get(name=name).permissions.select_related("content_type")
        assert {f"{one.content_type.app_label}.{one.codename}" for one in held} == set(rights)
    extra = Permission.objects.get(codename="delete_edge")
    Group.objects.get(name="reader").permissions.add(extra)
    for app in apps.get_app_configs():
        seed_roles(app)
    assert Group.objects.filter(name__in=ROLES).count() == len(ROLES)
    assert extra in Group.objects.get(name="reader").permissions.all()


def test_a_reader_looks_at_everything_and_changes_nothing():
    reader = in_role("leser", "reader")
    collection = make_collection("Podcast", reader)
    job, ended = make_job(collection), ended_job(collection, "failed")
    client = client_of(reader)
    for address in (
        "/admin/", "/admin/jobs/job/", f"/admin/jobs/job/{job.pk}/change/", "/admin/job-types/", "/admin/failures/",
        "/admin/resources/", "/admin/orchestration/run/", "/admin/resources/worker/", "/admin/notices/",
    ):  # fmt: skip
        assert client.get(address).status_code == 200, address
    for operation in OPERATIONS:
        assert client.post(f"/admin/jobs/job/{ended.pk}/{operation}/", {"confirm": "yes"}).status_code == 403
    for address in ("/admin/job-types/", "/admin/live-call/", "/admin/switches/", "/admin/jobs/job/new/"):
        assert client.post(address, {"job_type": "rss", "paused": "yes", "on": "no"}).status_code == 403
    assert sorted(Job.objects.values_list("status", flat=True)) == ["error", "pending"]


def test_an_operator_has_every_operation_and_only_where_there_is_access():
    operator = in_role("drift", "operator")
    ours, hidden = make_job(make_collection("Vår", operator)), make_job(make_collection("Hemmelig"))
    client = client_of(operator)
    assert client.post(f"/admin/jobs/job/{ours.pk}/cancel/").status_code == 302
    assert client.post(f"/admin/jobs/job/{hidden.pk}/cancel/").status_code == 403
    hidden.refresh_from_db()
    assert hidden.status == "pending"


def test_an_administrator_makes_people_but_no_superuser_and_no_rights():
    boss = in_role("sjef", "administrator")
    superuser = make_user("rot", superuser=True)
    client = client_of(boss)
    data = {"username": "sjef", "is_active": "on", "is_staff": "on", "is_superuser": "on", "user_permissions": ["1"],
            "date_joined_0": "2026-01-01", "date_joined_1": "10:00"}  # fmt: skip
    assert client.post(f"/admin/auth/user/{boss.pk}/change/", data).status_code == 302
    boss = User.objects.get(pk=boss.pk)
    assert not boss.is_superuser
    assert not boss.user_permissions.exists()
    assert client.post(f"/admin/auth/user/{superuser.pk}/change/", data).status_code == 403
    assert (
        client.post(f"/admin/auth/user/{superuser.pk}/password/", {"password1": "x", "password2": "x"}).status_code
        == 403
    )
    group = Group.objects.get(name="reader")
    assert client.post(f"/admin/auth/group/{group.pk}/change/", {"name": "reader"}).status_code == 403


# Leaks


@pytest.fixture
def reader() -> Any:
    return in_role("leser", "reader")


@pytest.fixture
def secret(reader: Any) -> Node:
    """A collection that the reader does not see, with something of every kind in it."""
    hidden = make_collection("Hemmelig prosjekt")
    ended_job(hidden, "failed", "hemmelig_type", error_msg="hemmelig feil")
    make_node("hemmelig_slag", "Hemmelig node", into=hidden), make_node("work_item", "Hemmelig oppgave", into=hidden)
    make_node("orchestration", "Hemmelig oppskrift", into=hidden), make_run(hidden)
    make_job(make_collection("Vår", reader), "vanlig")
    return hidden


@pytest.mark.parametrize(
    "address",
    ["/admin/", "/admin/jobs/job/", "/admin/job-types/", "/admin/failures/", "/admin/resources/", "/admin/switches/",
     "/admin/orchestration/run/", "/admin/orchestration/workitem/", "/admin/orchestration/orchestration/",
     "/admin/graph/node/", "/admin/graph/edge/", "/admin/jobs/job/export/", "/admin/notices/"],
)  # fmt: skip
def test_no_page_choice_or_file_names_what_is_unseen(reader: Any, secret: Node, address: str):
    page = client_of(reader).get(address).content.decode()
    assert "emmelig" not in page
    assert str(secret.pk) not in page


def test_the_file_holds_no_unseen_row(reader: Any, secret: Node):
    rows = csv.DictReader(io.StringIO(client_of(reader).get("/admin/jobs/job/export/").content.decode()))
    assert [row["job_type"] for row in rows] == ["vanlig"]


def test_autocomplete_and_raw_lookups_say_nothing(reader: Any, secret: Node):
    client = client_of(reader)
    query = {"app_label": "graph", "model_name": "edge", "field_name": "source", "term": "Hemmelig"}
    assert "emmelig" not in client.get("/admin/autocomplete/", query).content.decode()
    for lookup in ("collection_node__title__startswith=H", "worker_id__x=1"):
        assert client.get(f"/admin/jobs/job/?{lookup}").status_code in (302, 400)


def test_history_and_front_page_name_nothing_that_was_seen_before(reader: Any, secret: Node):
    job = Job.objects.get(job_type="hemmelig_type")
    kind = ContentType.objects.get_for_model(Job)
    LogEntry.objects.create(
        user=reader, content_type=kind, object_id=str(job.pk), object_repr="hemmelig", action_flag=CHANGE
    )
    client = client_of(reader)
    assert "hemmelig" not in client.get("/admin/").content.decode()
    assert client.get(f"/admin/jobs/job/{job.pk}/history/").status_code in (302, 403)


def test_unseen_and_missing_can_not_be_told_apart(reader: Any, secret: Node):
    client = client_of(reader)
    job = Job.objects.get(job_type="hemmelig_type")
    missing = "01a22db7-8ca0-7680-8f90-000000000000"
    for address in ("change/", "history/", "log/"):
        unseen, gone = (client.get(f"/admin/jobs/job/{id}/{address}") for id in (job.pk, missing))
        assert (unseen.status_code, unseen.headers.get("Location")) == (gone.status_code, gone.headers.get("Location"))
    live = client.get("/admin/live/", {"job": f"{job.pk},{missing}"})
    assert live.json() == {"rows": []}


# Notices


def tell(user: Any, title: str) -> Node:
    notice = make_node("notice", title, content=f"{title} <script>alert(1)</script>")
    person, _made = Node.objects.get_or_create(user=user, defaults={"node_kind": "person", "title": user.username})
    Edge.objects.create(source=notice, target=person, edge_type="addressed_to")
    return notice


def test_notices_are_for_whom_they_are_addressed_to_and_counted_until_they_are_read(reader: Any):
    boss = make_user("sjef", superuser=True)
    first, _second, other = tell(reader, "Referat er klart"), tell(reader, "Ny oppgave"), tell(boss, "Til sjefen")
    client = client_of(reader)
    page = client.get("/admin/notices/")
    assert [notice.title for notice in page.context["page"]] == ["Ny oppgave", "Referat er klart"]
    assert page.context["unread_notices"] == 2
    assert "<script>alert" not in page.content.decode()
    client.post("/admin/notices/", {"notice": str(first.pk)})
    assert client.get("/admin/").context["unread_notices"] == 1
    client.post("/admin/notices/", {"notice": str(other.pk)})
    assert client_of(boss).get("/admin/").context["unread_notices"] == 1
    assert client.post("/admin/notices/", {"notice": "7"}).status_code == 403
    client.post("/admin/notices/")
    assert client.get("/admin/").context["unread_notices"] == 0
    assert client_of(boss).get("/admin/").context["unread_notices"] == 1


# Language


def test_the_language_is_kept_with_the_login(reader: Any):
    client = client_of(reader)
    assert 'lang="en"' in client.get("/admin/").content.decode()
    assert client.post("/i18n/setlang/", {"language": "nb", "next": "/admin/"}).status_code == 302
    assert 'lang="nb"' in client.get("/admin/").content.decode()
    assert Preference.objects.get(user=reader).language == "nb"
    reader.set_password("ærlig-talt-1")
    reader.save()
    elsewhere = Client(headers={"accept-language": "en"})
    elsewhere.post("/admin/login/", {"username": "leser", "password": "ærlig-talt-1", "next": "/admin/"})
    assert 'lang="nb"' in elsewhere.get("/admin/").content.decode()
    for wrong in ("xx", "", "nb; DROP"):
        client.post("/i18n/setlang/", {"language": wrong})
    assert Preference.objects.get(user=reader).language == "nb"
    Client().post("/i18n/setlang/", {"language": "en"})
    assert Preference.objects.count() == 1
