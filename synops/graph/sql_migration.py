"""A migration operation that runs a .sql file beside the migrations, and its .down.sql backwards."""

from __future__ import annotations

from pathlib import Path

from django.db.migrations import RunSQL


class RunSQLFile(RunSQL):
    """`RunSQLFile(__file__, "0002_access")` runs sql/0002_access.sql, and sql/0002_access.down.sql to undo it.

    The file is sent whole, in one string: Django would otherwise split it at each ";" of a function body.
    """

    def __init__(self, migration: str, name: str) -> None:
        folder = Path(migration).parent / "sql"
        super().__init__(
            sql=[(folder / f"{name}.sql").read_text(encoding="utf-8")],
            reverse_sql=[(folder / f"{name}.down.sql").read_text(encoding="utf-8")],
        )

    def deconstruct(self) -> tuple[str, list[object], dict[str, object]]:
        raise TypeError("an operation on a file beside its migration can't be written into another one")
