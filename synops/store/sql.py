"""SQL that matters lives in .sql files beside the module that runs it: the loader, and the type of their cursor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Protocol

_COMMENT = re.compile(r"(^|\s)-- .*$|^\s*--$")
"""A comment as our files have them. No literal of ours holds two hyphens and a space (tests/store/test_sql.py)."""


class Cursor(Protocol):
    """What we use of a cursor: psycopg's and Django's both fit, with parameters as `%(name)s`.

    Django leaves jsonb as text and psycopg decodes it, so statements cast what they read to `::text`
    and what they write with `::jsonb`.
    """

    @property
    def rowcount(self) -> int: ...

    def execute(self, query: Any, params: Any = None, /) -> Any: ...

    def fetchone(self) -> tuple[Any, ...] | None: ...

    def fetchall(self) -> Sequence[tuple[Any, ...]]: ...


@cache
def load(package: str, name: str) -> str:
    """The statement `<name>.sql` beside the modules of `package`, without its comments; read once a process.

    Raises FileNotFoundError when there is none, which is an error in the program, not in its input.
    """
    text = resources.files(package).joinpath(f"{name}.sql").read_text(encoding="utf-8")
    # psycopg reads the placeholders of a statement anew at every call when it is longer than 4,096 bytes.
    lines = (_COMMENT.sub("", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
