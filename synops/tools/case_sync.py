"""synops-case-sync: brings the replica of cases up to the source's latest dump, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.program import run
from synops.tools.sources.opening import SECRETS, SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

    from synops.tools.call import Call
    from synops.tools.sources.protocol import CaseSource

DESCRIPTION = Description(
    name="synops-case-sync",
    version="0.1.0",
    description={
        "nb": "Henter virkemidler, statuser og saker fra sakskilden til replikaen, når kilden er nyere.",
        "en": "Brings schemes, statuses and cases from the source into the replica, when the source is newer.",
    },
    job_types=("replica_sync",),
    params=(
        Param(
            name="full",
            type="boolean",
            description={"nb": "Også når kilden ikke er nyere.", "en": "Also when the source is not newer."},
        ),
    ),
    outputs={"skipped": "string", "generated_at": "string", "changed": "object"},
    settings=SETTINGS,
    secrets=SECRETS,
    database="write",
    timeout=1800,
    exit_codes="sysexits",
    network=True,
    examples=("synops-case-sync", "synops-case-sync --full --write"),
)


def work(call: Call) -> dict[str, Any]:
    """Nothing when the source has no newer dump; else the whole dump is read first, and only then written."""
    import tempfile
    from pathlib import Path

    from synops.store.cases.replica import last_dump
    from synops.tools.database import reading
    from synops.tools.sources.opening import source_of

    source = source_of(call.environ)
    generated_at = source.freshness()
    with reading(call) as cur:
        last = last_dump(cur)
    if last is not None and generated_at <= last and not call.payload["full"]:
        return {"skipped": f"the replica is as new as the source: {last.isoformat()}"}
    # Spooled in the job's own folder: a dump may be larger than memory, and the source slower than a transaction.
    with tempfile.TemporaryDirectory(prefix="dump-") as folder:
        path = Path(folder) / "rows"
        rows = _fetch(call, source, path)
        if not call.write:
            return {"generated_at": generated_at.isoformat(), "rows": rows}
        return {"generated_at": generated_at.isoformat(), "changed": _store(call, generated_at, path)}


def _fetch(call: Call, source: CaseSource, path: Path) -> int:
    """Read the whole dump into the file; how many rows."""
    import json

    from synops.tools.sources.checking import checked

    count = 0
    with path.open("w", encoding="utf-8") as file:
        for table, row in checked(source.dump()):
            file.write(json.dumps([table, row]) + "\n")
            count += 1
            if count % 1000 == 0:
                call.progress(None, f"{count} rows read")
    return count


def _store(call: Call, generated_at: Any, path: Path) -> dict[str, int]:
    from synops.store.cases import replica
    from synops.tools.database import writing
    from synops.tools.sources.protocol import BadSource, SourceChanged

    with writing(call) as cur:
        replica.lock(cur)
        last = replica.last_dump(cur)
        if last is not None and generated_at < last:
            raise SourceChanged(f"meanwhile the replica was brought up to a newer dump: {last.isoformat()}")
        try:
            return replica.sync(cur, generated_at, _rows(path))
        except replica.SuspiciousDump as error:
            raise BadSource(str(error)) from error


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import json

    with path.open(encoding="utf-8") as file:
        for line in file:
            table, row = json.loads(line)
            yield table, row


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
