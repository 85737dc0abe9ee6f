"""Where it takes place: a PostgreSQL of its own with fsync on, the product's schema, and tables that keep their own account."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.faults import programs
from tests.server import OwnServer, own_server

CONNECTIONS = 80

# Every change to an end is noted by the database itself: what the product says of itself is not asked.
ACCOUNT = """
CREATE TABLE fault_ends (job_id uuid, lease int, status text, outcome text, at timestamptz DEFAULT clock_timestamp());
CREATE INDEX ON fault_ends (at);
CREATE TABLE fault_writes (job_id uuid PRIMARY KEY, lease int);
CREATE FUNCTION fault_note_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO fault_ends (job_id, lease, status, outcome) VALUES (NEW.id, NEW.lease, NEW.status::text, NEW.outcome);
    RETURN NULL;
END $$;
CREATE TRIGGER fault_note_end AFTER UPDATE OF status ON job_queue FOR EACH ROW
    WHEN (NEW.status IN ('completed', 'error')) EXECUTE FUNCTION fault_note_end();
"""


@dataclass
class House:
    """`marker` is a number that no other run has; `folder` holds everything."""

    server: OwnServer
    folder: Path
    marker: str = field(default_factory=lambda: str(uuid.uuid4().int % 10**9))

    @property
    def tools(self) -> Path:
        return self.folder / "tools"

    def environment(self, address: str | None = None) -> dict[str, str]:
        """What the product's processes are started with. The timings are the shipped ones."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "SYNOPS_"))}
        url = address or self.server.url
        return {
            **kept,
            "DATABASE_URL": url,
            "DATABASE_DIRECT_URL": url,
            "SYNOPS_ENV_FILE": "none",
            "SYNOPS_VAR": str(self.folder / "var"),
            "SYNOPS_TOOLS_PATH": str(self.tools),
        }

    def connect(self) -> psycopg.Connection[Any]:
        """An autocommitting connection past every fault but the server's own."""
        return psycopg.connect(self.server.url, autocommit=True, connect_timeout=5)


@contextmanager
def house(root: Path) -> Iterator[House]:
    """A house that goes with the block."""
    root.chmod(0o711)
    (root / "cluster").mkdir()
    with own_server(root / "cluster", [f"max_connections={CONNECTIONS}"]) as server:
        made = House(server, root)
        programs.install(made.tools, made.marker)
        server.migrate(made.environment())
        with made.connect() as connection:
            connection.execute(ACCOUNT.encode())
            for kind in programs.kinds(made.marker):
                columns = {"job_type": kind.name, **kind.rule}
                names, values = ", ".join(columns), ", ".join(["%s"] * len(columns))
                statement = f"INSERT INTO job_priority_rules ({names}) VALUES ({values})"
                connection.execute(statement.encode(), list(columns.values()))
        yield made
