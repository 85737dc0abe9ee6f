"""What `manage.py` says when there is no database to be had, and which commands need none."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from synops.command_line import needs_database
from synops.database import DatabaseUnavailable, address, direct_address, is_embedded
from synops.database.address import PROJECT
from tests.database.users import environment

MANAGE = PROJECT / "manage.py"


def manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(MANAGE), *arguments]
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=60)


def sentence(said: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error of a command that failed as it should."""
    assert said.returncode == 1, said
    assert said.stdout == ""
    assert "Traceback" not in said.stderr
    lines = said.stderr.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("synops: ")
    return lines[0]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mysql://u:secret@h/db", "begins with “mysql:”"),
        ("just words", "it is no URL"),
        ("postgresql://u:secret@h:port/db", "host or port is malformed"),
        ("postgresql://u:sec#ret@h/db", "# is %23"),
        ("postgresql://[::1/db", "host or port is malformed"),
        ("postgresql://u:secret@h:0/db", "port 0"),
        ("postgresql://u:secret@h", "names no database"),
    ],
)
def test_an_address_that_is_none(url: str, expected: str) -> None:
    with pytest.raises(DatabaseUnavailable) as refused:
        address({"DATABASE_URL": url})

    assert "DATABASE_URL cannot be read" in str(refused.value)
    assert expected in str(refused.value)
    assert "sec" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://u:secret@127.0.0.1:1/db", 'server at "127.0.0.1", port 1 failed'),
        ("postgresql://u:secret@nowhere.invalid/db", "nowhere.invalid"),
    ],
)
def test_an_address_where_nobody_answers(url: str, expected: str) -> None:
    said = sentence(manage("migrate", DATABASE_URL=url))

    assert expected in said
    assert "unset it to use the embedded PostgreSQL" in said
    assert "secret" not in said


def test_a_database_that_does_not_exist() -> None:
    url = os.environ["DATABASE_URL"].replace("/synops?", "/absent?")

    assert 'database "absent" does not exist' in sentence(manage("migrate", DATABASE_URL=url))


def test_a_wrong_direct_address() -> None:
    said = sentence(manage("migrate", DATABASE_DIRECT_URL="mysql://x/y"))

    assert "DATABASE_DIRECT_URL cannot be read" in said


def test_the_traceback_can_be_asked_for() -> None:
    said = manage("migrate", "--traceback", DATABASE_URL="postgresql://127.0.0.1:1/db")

    assert "Traceback" in said.stderr


def test_an_old_python_gets_as_far_as_the_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))

    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(MANAGE), run_name="__main__")

    assert ended.value.code == 1
    assert "Synops needs Python 3.11 or newer" in capsys.readouterr().err


def test_an_old_python_can_read_manage_py() -> None:
    ast.parse(MANAGE.read_bytes().decode("ascii"), feature_version=(3, 4))  # ASCII: Python 2 reads nothing else


def test_a_python_without_the_packages() -> None:
    said = subprocess.run([sys.executable, "-S", str(MANAGE), "help"], capture_output=True, text=True)

    assert "make install" in sentence(said)


@pytest.mark.parametrize("command", [["help"], ["migrate", "--help"], ["check"]])
def test_commands_that_need_no_database_start_none(tmp_path: Path, command: list[str]) -> None:
    said = subprocess.run(
        [sys.executable, str(MANAGE), *command], env=environment(tmp_path), capture_output=True, text=True
    )

    assert said.returncode == 0, said.stderr
    assert not (tmp_path / "postgres").exists()


def test_which_commands_need_a_database() -> None:
    assert needs_database(["manage.py", "migrate"])
    assert needs_database(["manage.py", "check", "--database", "default"])
    assert not needs_database(["manage.py"])
    assert not needs_database(["manage.py", "runworker", "-h"])


def test_an_empty_address_is_no_address() -> None:
    environ = {"DATABASE_URL": " ", "SYNOPS_VAR": "/srv/synops"}

    assert is_embedded(environ)
    assert address(environ) == "postgresql://synops@/synops?host=%2Fsrv%2Fsynops%2Fpostgres%2Fserver&port=5432"


def test_the_direct_address_is_the_ordinary_one_unless_set() -> None:
    environ = {"DATABASE_URL": "postgresql://pooler/synops"}

    assert direct_address(environ) == "postgresql://pooler/synops"
    assert (
        direct_address({**environ, "DATABASE_DIRECT_URL": "postgresql://server/synops"}) == "postgresql://server/synops"
    )
    with pytest.raises(DatabaseUnavailable):
        direct_address({**environ, "DATABASE_DIRECT_URL": "server"})
