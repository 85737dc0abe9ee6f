"""One call of a tool: its payload, whether it may write, and the job that it runs for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.tools.failures import NotConfigured

if TYPE_CHECKING:
    from synops.store.files import FileStore
    from synops.tools.console import Console


@dataclass(frozen=True, slots=True)
class Job:
    """What the worker tells a tool about its job. `lease` and `worker_id` name this one claim of it."""

    id: UUID
    lease: int
    worker_id: UUID
    collection_id: UUID


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool's function gets. `payload` has every param, with its default where none was given."""

    payload: Mapping[str, Any]
    write: bool
    environ: Mapping[str, str]
    job: Job | None
    console: Console

    def progress(self, fraction: float | None, message: str = "") -> None:
        """Tell how far the work is, from 0 to 1, and what is being done."""
        self.console.progress(fraction, message)

    def log(self, line: str) -> None:
        """One line for the job's log."""
        self.console.log(line)

    def uuid(self, name: str) -> UUID:
        """A param of type uuid as such."""
        return UUID(self.payload[name])

    @property
    def collection_id(self) -> UUID | None:
        """The collection that bounds this call: the job's. None by hand, and for the system's own jobs."""
        own = self.job.collection_id if self.job else None
        return None if own == SYSTEM_COLLECTION_ID else own

    @property
    def store(self) -> FileStore:
        """The file store that STORE_DIR names."""
        from synops.store.files import FileStore

        return FileStore.from_environment(self.environ)


def job_of(environ: Mapping[str, str]) -> Job | None:
    """The job that SYNOPS_JOB_ID and its companions name; None by hand. Half a set raises NotConfigured."""
    if not environ.get("SYNOPS_JOB_ID"):
        return None
    try:
        return Job(
            id=UUID(environ["SYNOPS_JOB_ID"]),
            lease=int(environ["SYNOPS_LEASE"]),
            worker_id=UUID(environ["SYNOPS_WORKER_ID"]),
            collection_id=UUID(environ["SYNOPS_COLLECTION_ID"]),
        )
    except (KeyError, ValueError) as error:
        raise NotConfigured(
            f"SYNOPS_JOB_ID is set, but the worker's other variables are not as they should be: {error}. "
            "To run the tool by hand, unset SYNOPS_JOB_ID."
        ) from error
