"""People and programs that call the API, and answers held against its document."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from jsonschema import Draft202012Validator

from synops.graph.models import Node
from synops.site.api.openapi import document
from synops.site.tokens import create_token
from tests.people import make_collection, make_user

DOCUMENT = document()


@dataclass
class Api:
    """A caller. Every answer is checked against what the document says of it."""

    client: Client
    headers: dict[str, str]

    def get(self, path: str, expected: int = 200, **query: Any) -> Any:
        return self._checked("get", path, self.client.get(path, query, headers=self.headers), expected)

    def post(self, path: str, body: Any, expected: int = 200) -> Any:
        text = body if isinstance(body, str) else json.dumps(body)
        response = self.client.post(path, text, content_type="application/json", headers=self.headers)
        return self._checked("post", path, response, expected)

    def _checked(self, method: str, path: str, response: Any, expected: int) -> Any:
        assert response.status_code == expected, response.content.decode()
        described = DOCUMENT["paths"][template_of(path)][method]["responses"][str(expected)]
        (kind, said) = next(iter(described["content"].items()))
        assert response.headers["Content-Type"] == kind
        schema = {**said["schema"], "components": DOCUMENT["components"]}
        answer = response.json()
        Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(answer)
        return answer


def template_of(path: str) -> str:
    """The document's path for a real one."""
    if path in DOCUMENT["paths"]:
        return path
    head, _, _ = path.rpartition("/")
    return next(template for template in DOCUMENT["paths"] if template.startswith(head + "/{"))


@pytest.fixture
def operator(db: None) -> User:
    permissions = ["view", "enqueue", "retry", "cancel", "run_now", "defer", "prioritise", "delete"]
    return make_user("operator", *(f"jobs.{name}_job" for name in permissions))


@pytest.fixture
def desk(operator: User) -> Node:
    """A collection that the operator is a member of."""
    return make_collection("desk", operator)


@pytest.fixture
def elsewhere(db: None) -> Node:
    """A collection that nobody here has access to."""
    return make_collection("elsewhere")


@pytest.fixture
def api(operator: User) -> Api:
    """The operator's program."""
    return Api(Client(), {"authorization": f"Bearer {create_token('test', ['jobs'], operator)[1]}"})


@pytest.fixture
def chief(db: None) -> Api:
    """A superuser's program."""
    owner = make_user("chief", superuser=True)
    return Api(Client(), {"authorization": f"Bearer {create_token('test', ['jobs'], owner)[1]}"})
