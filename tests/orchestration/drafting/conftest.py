"""The tools that drafts are written with, in the database."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.tool_nodes import tool_node_id
from synops.graph.models import Node
from synops.tools.audio import DESCRIPTION as AUDIO
from synops.tools.rss import DESCRIPTION as RSS
from synops.tools.summarize import DESCRIPTION as SUMMARIZE
from synops.tools.transcribe import DESCRIPTION as TRANSCRIBE
from tests.people import make_collection


def put_tool(described: dict[str, Any]) -> None:
    Node.objects.update_or_create(
        id=tool_node_id(described["name"]),
        defaults={"node_kind": "cli_tool", "title": described["name"], "metadata": {"available": True, **described}},
    )


@pytest.fixture
def collection(db):
    for description in (AUDIO, TRANSCRIBE, SUMMARIZE, RSS):
        put_tool(description.to_json())
    return make_collection("Podcast")
