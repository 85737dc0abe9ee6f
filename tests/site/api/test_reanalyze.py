"""POST /internal/pipeline/reanalyze: who may, 202 or 409 without a race, and what else can be wrong."""

from __future__ import annotations

import json
import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from jobs.models import Generation
from synops.site.tokens import create_token
from tests.jobs.arrange import psycopg_cursor
from tests.jobs.pipelines.cases.arrange import bring, case
from tests.people import make_user
from tests.site.api.conftest import Api

PATH = "/internal/pipeline/reanalyze"


@pytest.fixture
def caller(db: None) -> User:
    return make_user("service", "cases.reanalyse_casefile")


@pytest.fixture
def service(caller: User) -> Api:
    return Api(
        Client(enforce_csrf_checks=True), {"authorization": f"Bearer {create_token('t', ['pipeline'], caller)[1]}"}
    )


def with_case(number: str = "2026/1") -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        bring(cursor, case(number))


def test_a_case_is_queued_and_a_second_wish_is_told_so(service: Api) -> None:
    with_case()
    assert service.post(PATH, {"case": "2026/1", "force": True}, 202) == {"case": "2026/1", "generation": 1}
    assert service.post(PATH, {"case": "2026/1"}, 409)["type"].endswith("already_open")
    assert service.post(PATH, {"case": "2026/2"}, 404)["type"].endswith("unknown_case")
    assert service.post(PATH, {"number": "2026/1"}, 422)
    assert list(Generation.objects.values_list("unit", "cause", "state")) == [("2026/1", "manual", "running")]


def test_without_the_scope_the_permission_or_a_token(caller: User) -> None:
    with_case()
    elsewhere = Api(Client(), {"authorization": f"Bearer {create_token('t', ['jobs'], caller)[1]}"})
    elsewhere.post(PATH, {"case": "2026/1"}, 403)
    stranger = make_user("stranger")
    Api(Client(), {"authorization": f"Bearer {create_token('t', ['pipeline'], stranger)[1]}"}).post(
        PATH, {"case": "1"}, 403
    )
    Api(Client(), {}).post(PATH, {"case": "2026/1"}, 401)
    assert not Generation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_wishes_at_once_one_is_granted(service: Api) -> None:
    with psycopg_cursor() as cursor:
        bring(cursor, case("2026/1"))
        cursor.connection.commit()
    barrier, answers = threading.Barrier(6), []

    def wish() -> None:
        barrier.wait(60)
        response = Client().post(PATH, json.dumps({"case": "2026/1"}), "application/json", headers=service.headers)
        answers.append(response.status_code)
        connection.close()

    threads = [threading.Thread(target=wish) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(answers) == [202, 409, 409, 409, 409, 409]
    assert Generation.objects.count() == 1
