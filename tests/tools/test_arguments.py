from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synops.tools.arguments import UsageError, argv, job_problems, of_job_type, parse, validate_payload, with_defaults
from synops.tools.describe import Description, Param

DIGEST = "ab" * 32
NO_DIGEST = "cas_hash must be the sha256 digest of a stored file (64 characters of 0-9 and a-f)"
NODE = "0190f5a6-0000-7000-8000-000000000001"

TOOL = Description(
    name="synops-try",
    version="1",
    description={},
    params=(
        Param("cas_hash", "hash", required=True),
        Param("node_id", "uuid"),
        Param("title", "string"),
        Param("body", "text"),
        Param("model", "string", enum={"large": {}, "small": {}}, enum_open=True),
        Param("length", "string", enum={"short": {}, "long": {}}, default="short"),
        Param("max", "integer", minimum=1, maximum=20),
        Param("loudness", "number"),
        Param("deep", "boolean"),
        Param("day", "date"),
        Param("file", "string", by_hand=True),
    ),
)

one_line = st.text(st.characters(codec="utf-8", min_codepoint=32), max_size=30)
payloads: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"cas_hash": st.just(DIGEST)},
    optional={
        "node_id": st.uuids().map(str),
        "title": one_line,
        "body": st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30),
        "model": one_line,
        "length": st.sampled_from(["short", "long"]),
        "max": st.integers(1, 20),
        "loudness": st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
        "deep": st.booleans(),
        "day": st.dates().map(str) | st.datetimes().map(lambda moment: moment.isoformat()),
    },
)


@given(payloads)
def test_flags_and_payload_are_the_same_call(payload: dict[str, Any]) -> None:
    assert validate_payload(TOOL, payload) == []
    flags = argv(TOOL, payload)
    expected = {name: value for name, value in payload.items() if value is not False}
    assert parse(TOOL, flags) == expected
    assert validate_payload(TOOL, parse(TOOL, flags)) == []
    assert argv(TOOL.to_json(), payload) == flags


@given(payloads)
def test_no_value_is_taken_for_a_flag(payload: dict[str, Any]) -> None:
    flags = argv(TOOL, payload)
    assert len(flags) == sum(value is not False for value in payload.values())
    assert all(flag.startswith("--") for flag in flags)


def test_flags_stand_in_the_order_of_the_description() -> None:
    payload = {"max": 5, "deep": True, "title": "-rf --write", "loudness": -16.0, "cas_hash": DIGEST, "model": None}
    assert argv(TOOL, payload) == [
        f"--cas-hash={DIGEST}",
        "--title=-rf --write",
        "--max=5",
        "--loudness=-16",
        "--deep",
    ]


@pytest.mark.parametrize(
    ("payload", "problems"),
    [
        ({}, ["cas_hash (--cas-hash) is required"]),
        ([], ["the payload of synops-try must be an object with the params as keys"]),
        ({"cas_hash": None}, ["cas_hash (--cas-hash) is required"]),
        ({"cas_hash": "AB" * 32}, [NO_DIGEST]),
        ({"cas_hash": DIGEST, "node_id": "1"}, ["node_id must be a node's id (a UUID)"]),
        ({"cas_hash": DIGEST, "node_id": NODE.replace("-", "")}, ["node_id must be a node's id (a UUID)"]),
        ({"cas_hash": DIGEST, "title": "a\nb"}, ["title must be one line of text"]),
        ({"cas_hash": DIGEST, "title": "\ud800"}, ["title must be one line of text"]),
        ({"cas_hash": DIGEST, "body": "a\x00b"}, ["body must be text"]),
        ({"cas_hash": DIGEST, "length": "huge"}, ['length is "huge" but must be one of short, long']),
        ({"cas_hash": DIGEST, "max": True}, ["max must be a whole number"]),
        ({"cas_hash": DIGEST, "max": 2.0}, ["max must be a whole number"]),
        ({"cas_hash": DIGEST, "max": 0}, ["max is 0 but must be at least 1"]),
        ({"cas_hash": DIGEST, "max": 21}, ["max is 21 but must be at most 20"]),
        ({"cas_hash": DIGEST, "loudness": float("nan")}, ["loudness must be a number"]),
        ({"cas_hash": DIGEST, "loudness": "loud"}, ["loudness must be a number"]),
        ({"cas_hash": DIGEST, "deep": "yes"}, ["deep must be true or false"]),
        ({"cas_hash": DIGEST, "file": "/etc/passwd"}, ["file is for use by hand only; a job can't have it"]),
    ],
)  # fmt: skip
def test_each_mistake_has_its_sentence(payload: Any, problems: list[str]) -> None:
    assert validate_payload(TOOL, payload) == problems


def test_all_mistakes_are_told_at_once() -> None:
    found = validate_payload(TOOL, {"day": "someday", "wrong": 1, "max": "five"})
    assert len(found) == 4
    assert 'there is no param "wrong"; synops-try takes cas_hash, node_id,' in found[0]
    assert "file" not in found[0]


def test_a_person_at_a_shell_may_name_files() -> None:
    assert validate_payload(TOOL, {"cas_hash": DIGEST, "file": "a.mp3"}, by_hand=True) == []


@pytest.mark.parametrize("flags", [["--nope=1"], ["--cas"], ["positional"], ["--cas-hash"], ["--deep=yes"]])
def test_flags_that_do_not_exist(flags: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(TOOL, flags)


def test_a_payload_with_unknown_keys_has_no_command_line() -> None:
    with pytest.raises(UsageError, match="no param other"):
        argv(TOOL, {"other": 1})


def test_numbers_that_are_none_stay_what_they_were() -> None:
    assert parse(TOOL, ["--max=many", "--loudness=quiet"]) == {"max": "many", "loudness": "quiet"}


def test_defaults_fill_what_is_missing() -> None:
    filled = with_defaults(TOOL, {"cas_hash": DIGEST, "length": None})
    assert set(filled) == {param.name for param in TOOL.params}
    assert filled["length"] == "short"
    assert filled["model"] is None


def test_the_type_of_a_job_becomes_a_flag_of_its_call() -> None:
    chooser = {"param": "length", "values": {"long": "try_long"}}
    tool = TOOL._replace(job_types=("try", "try_long"), job_type_by=chooser)
    assert of_job_type(tool, "try_long", {"title": "x"}) == {"title": "x", "length": "long"}
    assert of_job_type(tool, "try_long", {"length": "long"}) == {"length": "long"}
    assert of_job_type(tool, "try", {"title": "x"}) == {"title": "x", "length": None}
    assert of_job_type(tool, "try", {"length": "short"}) == {"length": "short"}
    with pytest.raises(UsageError, match="length is short, which makes this a job of type try, not try_long"):
        of_job_type(tool, "try_long", {"length": "short"})
    with pytest.raises(UsageError, match="a job of type try_long, not try"):
        of_job_type(tool, "try", {"length": "long"})
    assert of_job_type(TOOL, "try", {"length": "long"}) == {"length": "long"}
    needed = tool._replace(params=(Param("length", "string", required=True, enum={"long": {}, "short": {}}),))
    assert job_problems(needed, "try_long", {}) == []
    assert job_problems(needed, "try", {}) == ["length (--length) is required"]
    assert "not try_long" in job_problems(needed, "try_long", {"length": "short"})[0]
    assert "must be an object" in job_problems(needed, "try_long", [])[0]
