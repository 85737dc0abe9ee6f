"""The rows of the live view by HTTP."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tests.jobs.making import ended_job, make_job
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_only_visible_rows_come_back():
    member = make_user("member", "jobs.view_job")
    seen, hidden = ended_job(make_collection("Podcast", member), "excluded"), make_job(make_collection("Hidden"))
    answer = client_of(member).get("/admin/live/", {"job": f"{seen.pk},{hidden.pk},{uuid4()}"})
    (row,) = answer.json()["rows"]
    assert (row["kind"], row["id"], row["fields"]["state"]) == ("job", str(seen.pk), "excluded")


def test_a_kind_without_the_right_to_it_is_left_out():
    staff = make_user("staff")
    job = make_job(make_collection("Podcast", staff))
    assert client_of(staff).get("/admin/live/", {"job": str(job.pk)}).json() == {"rows": []}


@pytest.mark.parametrize("ids", ["nonsense", ",".join(str(uuid4()) for _ in range(201))], ids=["nonsense", "too many"])
def test_nonsense_is_refused(ids: str):
    assert client_of(make_user("member", "jobs.view_job")).get("/admin/live/", {"job": ids}).status_code == 400
