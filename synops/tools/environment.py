"""The settings of a tool that a person runs by hand: the environment, and under it the project's .env file."""

from __future__ import annotations

from pathlib import Path

from synops.store.locations import PROJECT


def with_env_file(environ: dict[str, str]) -> dict[str, str]:
    """`environ` with what the .env file adds; a variable that is set already wins.

    SYNOPS_ENV_FILE names another file, or `none`. Without this a tool by hand would start the embedded server on a
    machine whose DATABASE_URL stands in .env.
    """
    name = environ.get("SYNOPS_ENV_FILE", "")
    path = PROJECT / (name or ".env")
    return environ if name == "none" or not path.is_file() else _variables(path) | environ


def _variables(path: Path) -> dict[str, str]:
    lines = (line.strip().removeprefix("export ") for line in path.read_text(encoding="utf-8").splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): _unquoted(value.strip()) for name, equals, value in pairs if equals}


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
