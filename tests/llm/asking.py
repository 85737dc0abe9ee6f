"""What the tests of the client share: a question, a schema, and an impatient endpoint for a server."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from synops.llm.endpoint import Endpoint, endpoint_of
from tests.llm.server import ModelServer

QUESTION = [{"role": "user", "content": "Hva heter øya?"}]


SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}


def endpoint(server: ModelServer, folder: Path, **changes: Any) -> Endpoint:
    found = endpoint_of(server.environ | {"SYNOPS_VAR": str(folder)})
    assert found
    return dataclasses.replace(found, **{"backoff_seconds": 0.01, **changes})
