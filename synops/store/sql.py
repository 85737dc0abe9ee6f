"""SQL that matters lives in .sql files beside the module that runs it: the loader, and the type of their cursor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Protocol


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
    """The text of the statement `<name>.sql` beside the modules of `package`; read once a process.

    Raises FileNotFoundError when there is none, which is an error in the program, not in its input.
    """
    return resources.files(package).joinpath(f"{name}.sql").read_text(encoding="utf-8")
