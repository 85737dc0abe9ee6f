from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from synops.tools.describe import TYPES, Description, InvalidDescription, problems
from synops.tools.page import shipped

PROJECT = Path(__file__).parents[2]


SHIPPED = {tool.name: tool for tool in shipped()}


def test_every_program_has_its_console_script() -> None:
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    expected = {name: f"synops.tools.{name.removeprefix('synops-').replace('-', '_')}:main" for name in SHIPPED}
    assert {name: target for name, target in scripts.items() if target.startswith("synops.tools.")} == expected


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_description_is_complete(name: str) -> None:
    description = SHIPPED[name]
    assert problems(description) == []
    assert description.exit_codes == "sysexits"
    assert description.job_types
    assert description.outputs
    assert description.examples
    assert set(description.description) == {"nb", "en"}
    # A tool without words, or a value without any, is for programs and people at a shell, not for recipes.
    assert set(description.aliases) in (set(), {"nb", "nn", "en"})
    for param in description.params:
        assert set(param.description) == {"nb", "en"}, param.name
        if param.hints:
            assert set(param.hints) == {"nb", "nn", "en"}, param.name
        for value, words in (param.enum or {}).items():
            assert set(words) in (set(), {"nb", "nn", "en"}), value
        if param.type == "boolean":
            assert set(param.enum or {}) <= {"true"}, param.name


@pytest.mark.parametrize("name", SHIPPED)
def test_json_and_back(name: str) -> None:
    document = json.loads(json.dumps(SHIPPED[name].to_json()))
    assert Description.from_json(document).to_json() == document


def test_the_least_description_is_a_name() -> None:
    document = Description.from_json({"name": "synops-count-words"}).to_json()
    assert document["job_types"] == ["count_words"]
    assert (document["weight"], document["timeout"], document["database"]) == (1, 600, "none")
    assert (document["exit_codes"], document["preload"]) == ("plain", False)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("text", ["a description is a JSON object, not a string"]),
        ({"name": "count"}, ['name "count" must be synops-<verb> in lower case']),
        ({"name": "synops-a", "weight": "heavy", "preload": 1}, ["weight is a string", "preload is a number"]),
        ({"name": "synops-a", "weight": True}, ["weight is true or false"]),
        ({"name": "synops-a", "aliases": {"nb": "tell"}}, ["aliases.nb is a string, not a list"]),
        ({"name": "synops-a", "params": ["x"]}, ["params[0] is a string, not an object"]),
        (
            {"name": "synops-a", "params": [{"name": "node_id", "flag": "--node"}]},
            ['params[0].flag is "--node" but must be --node-id'],
        ),
        (
            {"name": "synops-a", "params": [{"name": "write", "type": "file"}]},
            [
                'param name "write" must be snake_case and none of describe, help, payload_json, version, write',
                f'param "write" has the unknown type "file"; known are {", ".join(TYPES)}',
            ],
        ),
        (
            {"name": "synops-a", "params": [{"name": "x"}, {"name": "x", "default": True, "type": "boolean"}]},
            ['param "x" is described twice', 'param "x" is a boolean and can\'t have the default true'],
        ),
        (
            {"name": "synops-a", "job_type_by": {"param": "target", "values": {}}, "database": "all"},
            [
                'database "all" must be one of none, read, write',
                'job_type_by names the param "target", which is not described',
            ],
        ),
    ],
)
def test_each_mistake_in_a_description_is_told_with_its_place(document: Any, expected: list[str]) -> None:
    with pytest.raises(InvalidDescription) as caught:
        Description.from_json(document)
    assert caught.value.problems == expected


def test_the_job_type_of_a_call() -> None:
    chooser = {"param": "target", "values": {"index": "render_index", "article": "render_article"}}
    document = {
        "name": "synops-render",
        "job_types": ["render_article", "render_index"],
        "job_type_by": chooser,
        "params": [{"name": "target"}],
    }
    render = Description.from_json(document)
    assert render.job_type({"target": "index"}) == "render_index"
    assert render.job_type({"target": "article"}) == render.job_type({}) == "render_article"
