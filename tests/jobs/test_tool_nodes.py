"""What the tools' nodes say, parsed once and again when one of them has been written."""

from __future__ import annotations

import pytest

from jobs.tool_nodes import descriptions, tool_node_id
from synops.store.sanitise import dumps
from synops.tools.describe import Description

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def describe(cursor, verb: str, **more) -> None:
    """Write the one tool's node."""
    metadata = {**Description("synops-x", "1", {}, job_types=(verb,)).to_json(), **more}
    cursor.execute("DELETE FROM nodes WHERE node_kind = 'cli_tool'")
    cursor.execute(
        "INSERT INTO nodes (id, node_kind, title, metadata) VALUES (%(id)s, 'cli_tool', 'synops-x', %(said)s::jsonb)",
        {"id": tool_node_id("synops-x"), "said": dumps(metadata)},
    )


def test_tools_are_parsed_again_only_when_a_node_was_written(cursor):
    describe(cursor, "shrink")
    known = descriptions(cursor)
    assert list(known) == ["shrink"]
    assert descriptions(cursor) is known
    describe(cursor, "grow")  # in the same transaction
    assert list(descriptions(cursor)) == ["grow"]
    describe(cursor, "grow", available=False)
    assert not descriptions(cursor)
