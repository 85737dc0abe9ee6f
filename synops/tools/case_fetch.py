"""synops-case-fetch: a case's documents from the source into the file store, and the manifest that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.program import run
from synops.tools.sources.opening import SECRETS, SETTINGS

if TYPE_CHECKING:
    from synops.store.cases.manifest import Line
    from synops.tools.call import Call
    from synops.tools.sources.protocol import CaseSource, SourceDocument

DESCRIPTION = Description(
    name="synops-case-fetch",
    version="0.1.0",
    description={
        "nb": "Henter dokumentene i en sak fra sakskilden til fillageret, og lagrer dokumentlisten.",
        "en": "Fetches a case's documents from the source into the file store, and stores the list of them.",
    },
    job_types=("case_fetch",),
    params=(
        Param(
            name="case_number",
            type="string",
            required=True,
            description={"nb": "Saken i replikaen.", "en": "The case in the replica."},
        ),
        Param(
            name="force",
            type="boolean",
            description={
                "nb": "Hent også dokumenter som ikke er endret.",
                "en": "Fetch documents that have not changed as well.",
            },
        ),
    ),
    outputs={"documents": "integer", "fetched": "integer", "extractor": "string"},
    settings=("STORE_DIR", "CASES_DIR", *SETTINGS),
    secrets=SECRETS,
    database="write",
    preload=True,
    timeout=600,
    exit_codes="sysexits",
    network=True,
    examples=("synops-case-fetch --case-number=2026/104",),
)


def work(call: Call) -> dict[str, Any]:
    """Fetch what is new or has changed, and under `--write` make the manifest what the source lists."""
    from synops.store.locations import cases_dir
    from synops.tools.case_lock import analyzers_of
    from synops.tools.sources.opening import source_of

    number = call.payload["case_number"]
    scheme, known = _known(call, number)
    extractor = analyzers_of(cases_dir(call.environ), scheme).extractor
    source = source_of(call.environ)
    listed = source.documents(number)
    lines = [_line(call, source, document, extractor, known, at / len(listed)) for at, document in enumerate(listed)]
    if source.documents(number) != listed:
        from synops.tools.sources.protocol import SourceChanged

        raise SourceChanged(f"the documents of {number} changed while they were fetched")
    if call.write:
        _store(call, number, lines)
    fetched = sum(known.get(line.key) is None or known[line.key].cas_hash != line.cas_hash for line in lines)
    return {"documents": len(lines), "fetched": fetched, "extractor": extractor}


def _known(call: Call, number: str) -> tuple[str, dict[str, Line]]:
    """The case's scheme and its manifest as it is. Raises NoInput."""
    from synops.store.cases.manifest import read_manifest
    from synops.store.cases.rows import UnknownCase, case_row
    from synops.tools.database import reading
    from synops.tools.failures import NoInput

    with reading(call) as cur:
        try:
            return str(case_row(cur, number)["scheme"]), read_manifest(cur, number)
        except UnknownCase as error:
            raise NoInput(str(error)) from error


def _line(
    call: Call,
    source: CaseSource,
    document: SourceDocument,
    extractor: str,
    known: Mapping[str, Line],
    fraction: float,
) -> Line:
    """The document's line of the manifest; its bytes are fetched unless the store has them from before."""
    from synops.store.cases.manifest import Line

    before = known.get(document.key)
    unchanged = before is not None and (before.size, before.changed_at) == (document.size, document.changed_at)
    if (
        before
        and unchanged
        and document.changed_at
        and not call.payload["force"]
        and call.store.exists(before.cas_hash)
    ):
        digest = before.cas_hash
    else:
        call.progress(fraction, f"fetching {document.name}")
        digest = _fetched(call, source, document)
    return Line(document.key, document.name, document.size, document.changed_at, digest, extractor)


def _fetched(call: Call, source: CaseSource, document: SourceDocument) -> str:
    from synops.tools.sources.protocol import SourceChanged

    with source.open(call.payload["case_number"], document) as stream:
        stored = call.store.put(stream)
    if stored.size != document.size:
        raise SourceChanged(f"{document.name} was listed with {document.size} bytes and came with {stored.size}")
    return stored.digest


def _store(call: Call, number: str, lines: list[Line]) -> None:
    from synops.store.cases.manifest import store_manifest
    from synops.tools.database import writing

    call.progress(0.95, "storing the manifest")
    with writing(call) as cur:
        store_manifest(cur, number, lines)


def warm_up() -> None:
    """What `work` imports, for a launcher that forks (docs/tool-contract.md)."""
    import psycopg  # noqa: F401

    import synops.store.cases.manifest
    import synops.store.cases.rows
    import synops.store.files
    import synops.tools.case_lock
    import synops.tools.database
    import synops.tools.sources.protocol  # noqa: F401


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
