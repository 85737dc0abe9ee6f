"""Which part of the worker's environment the launcher gets, and which part of it decides how an interpreter behaves."""

from __future__ import annotations

from collections.abc import Mapping

_BASICS = ("PATH", "HOME", "TZ", "TMPDIR", "LANG", "LANGUAGE", "LD_LIBRARY_PATH")


def basics(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that every program gets: where things are, language, time zone; no secret.

    The launcher gets only these, because a tool can read its parent's environment in /proc. A request whose `env`
    begins with the same is one that a preloaded module may serve.
    """
    return {name: value for name, value in environ.items() if name in _BASICS or name.startswith("LC_")}


def interpreter_part(env: Mapping[str, str]) -> dict[str, str]:
    """What an interpreter or the dynamic linker reads once, at its start: a fork can't follow another value."""
    return {
        name: value
        for name, value in env.items()
        if name in ("LANG", "LANGUAGE") or name.startswith(("LC_", "LD_", "PYTHON"))
    }
