"""Which part of the worker's environment the launcher gets, and which part of it decides how an interpreter behaves."""

from __future__ import annotations

from collections.abc import Mapping

_BASICS = ("PATH", "HOME", "TZ", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH")


def basics(environ: Mapping[str, str]) -> dict[str, str]:
    """Where things are, language and time zone; no secret. The launcher gets nothing else, because a tool can read its
    parent's environment in /proc."""
    return {"LANG": "C.UTF-8"} | {name: value for name, value in environ.items() if name in _BASICS}


def fits(env: Mapping[str, str], ours: Mapping[str, str]) -> bool:
    """Whether an interpreter started with `env` would behave like one started with `ours`: what interpreter and dynamic
    linker read once, at their start, a fork can't read again."""
    if _character_set(env) != _character_set(ours):
        return False
    return all(ours.get(name) == value for name, value in env.items() if name.startswith(("LD_", "PYTHON")))


def _character_set(env: Mapping[str, str]) -> str:
    """The locale that decides the encoding of files and streams; Python takes C.UTF-8 for the bare C locale."""
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or "C"
    return "C.UTF-8" if locale in ("C", "POSIX") else locale
