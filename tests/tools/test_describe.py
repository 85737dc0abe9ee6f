from __future__ import annotations

import importlib
import json
import pkgutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

import synops.tools
from synops.tools.describe import TYPES, Description, InvalidDescription, problems

PROJECT = Path(__file__).parents[2]


def shipped() -> dict[str, Description]:
    """The description of every module in synops/tools that is a program."""
    names = [module.name for module in pkgutil.iter_modules(synops.tools.__path__)]
    modules = [importlib.import_module(f"synops.tools.{name}") for name in names]
    found = [module.DESCRIPTION for module in modules if hasattr(module, "DESCRIPTION")]
    return {description.name: description for description in found}


def test_every_program_has_its_console_script() -> None:
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    expected = {name: f"synops.tools.{name.removeprefix('synops-').replace('-', '_')}:main" for name in shipped()}
    assert {name: target for name, target in scripts.items() if target.startswith("synops.tools.")} == expected


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_description_is_complete(name: str) -> None:
    description = shipped()[name]
    assert problems(description) == []
    assert description.exit_codes == "sysexits"
    assert description.job_types
    assert description.outputs
    assert description.examples
    assert set(description.description) == {"nb", "en"}
    assert set(description.aliases) == {"nb", "nn", "en"}
    for param in description.params:
        assert set(param.description) == {"nb", "en"}, param.name
        if param.hints:
            assert set(param.hints) == {"nb", "nn", "en"}, param.name
        for value, words in (param.enum or {}).items():
            assert set(words) == {"nb", "nn", "en"}, value


@pytest.mark.parametrize("name", shipped())
def test_json_and_back(name: str) -> None:
    document = json.loads(json.dumps(shipped()[name].to_json()))
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
