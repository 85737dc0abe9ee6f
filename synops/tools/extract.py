"""synops-extract: the text of a document, what kind of document it is, and the facts in it, each with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.failures import ToolFailure
from synops.tools.program import run

if TYPE_CHECKING:
    from pathlib import Path

    from synops.tools.call import Call
    from synops.tools.documents.pages import Reading

DESCRIPTION = Description(
    name="synops-extract",
    version="0.1.0",
    description={
        "nb": "Leser et dokument (PDF, DOCX, HTML, e-post, tekst): teksten, hva slags dokument det er, og fakta med kilde.",
        "en": "Reads a document (PDF, DOCX, HTML, e-mail, text): its text, its kind, and facts with their place.",
    },
    job_types=("case_extract",),
    aliases={
        "nb": ("les dokumentet", "trekk ut dokumentfakta"),
        "nn": ("les dokumentet", "trekk ut dokumentfakta"),
        "en": ("read the document", "extract document facts"),
    },
    params=(
        Param(
            name="cas_hash",
            type="hash",
            bind=("event.cas_hash",),
            hints={
                "nb": ("dokument", "dokumentet", "vedlegg", "vedlegget", "brev", "brevet"),
                "nn": ("dokument", "dokumentet", "vedlegg", "vedlegget", "brev", "brevet"),
                "en": ("document", "the document", "attachment", "letter"),
            },
            description={"nb": "Dokumentets sha256 i fillageret.", "en": "The document's sha256 in the file store."},
        ),
        Param(
            name="path",
            type="string",
            by_hand=True,
            description={"nb": "Et dokument på denne maskinen.", "en": "A document on this machine instead."},
        ),
        Param(
            name="extractor",
            type="string",
            default="letters@1",
            description={
                "nb": "Uttrekkeren med versjon, fra CASES_DIR/extractors.",
                "en": "The extractor and its version, of CASES_DIR/extractors.",
            },
        ),
        Param(
            name="force",
            type="boolean",
            description={
                "nb": "Les dokumentet på nytt, selv om fakta er lagret fra før.",
                "en": "Read the document anew, although its facts are stored already.",
            },
        ),
    ),
    outputs={
        "kind": "string",
        "facts": "object",
        "text_hash": "hash",
        "media_type": "string",
        "pages": "integer",
        "characters": "integer",
        "extractor": "string",
        "cached": "boolean",
        "warnings": "list",
    },
    settings=("STORE_DIR", "SYNOPS_VAR", "CASES_DIR"),
    database="write",
    preload=True,
    timeout=300,
    exit_codes="sysexits",
    examples=(
        "synops-extract --path=invoice.pdf",
        "synops-extract --path=letter.docx --extractor=letters@1 | jq .facts",
    ),
)


class Excluded(ToolFailure):
    """The document says that it may not be read: done, and no error."""

    exit_code = 77


def work(call: Call) -> dict[str, Any]:
    """Facts that are stored are returned; else the document is read, and under `--write` text and facts are stored."""
    from synops.store.locations import cases_dir
    from synops.tools.documents.extractors import load_extractor

    path = _path(call)
    extractor = load_extractor(cases_dir(call.environ), call.payload["extractor"])
    if call.write and not call.payload["force"] and (stored := _stored(call)) is not None:
        return stored
    return _extract(call, path, extractor)


def _extract(call: Call, path: Path, extractor: Any) -> dict[str, Any]:
    from synops.tools.documents.facts import UNKNOWN, exclusion, facts_of, kind_of
    from synops.tools.documents.reader import read

    reading = read(path, lambda fraction: call.progress(fraction * 0.9, "reading the document"))
    if words := exclusion(extractor, reading):
        raise Excluded(f'the document says "{words}": it is left unread')
    kind = kind_of(extractor, reading)
    found = {
        "kind": kind.kind if kind else UNKNOWN,
        "facts": facts_of(kind, reading) if kind else {},
        **_about(reading),
        "extractor": extractor.name,
    }
    if call.write:
        found["text_hash"] = call.store.put_bytes(reading.text.encode("utf-8")).digest
        _store(call, found)
    return {**found, "cached": False}


def _about(reading: Reading) -> dict[str, Any]:
    return {
        "text_hash": None,
        "media_type": reading.media_type,
        "pages": len(reading.pages),
        "characters": reading.characters,
        "warnings": list(reading.warnings),
    }


def _path(call: Call) -> Path:
    """Where the document lies. Raises BadUsage, NoInput."""
    from pathlib import Path

    from synops.store.files import UnknownFile
    from synops.tools.failures import BadUsage, NoInput

    digest, path = call.payload["cas_hash"], call.payload["path"]
    if bool(digest) == bool(path):
        raise BadUsage("name one document: --cas-hash, or by hand --path")
    if path and call.write:
        raise BadUsage("--write keeps facts by --cas-hash; put the document into the file store first")
    if path:
        if not Path(path).is_file():
            raise NoInput(f"there is no file {path}")
        return Path(path)
    try:
        return call.store.path(digest)
    except UnknownFile as error:
        raise NoInput(str(error)) from error


def _stored(call: Call) -> dict[str, Any] | None:
    """What an earlier run has stored for this document and extractor, if its text is still there too."""
    from synops.store.cases.facts import stored_facts
    from synops.tools.database import reading

    with reading(call) as cur:
        found = stored_facts(cur, call.payload["cas_hash"], call.payload["extractor"])
    if found is None or not call.store.exists(str(found["text_hash"])):
        return None
    return {**found, "cached": True}


def _store(call: Call, found: dict[str, Any]) -> None:
    from synops.store.cases.facts import store_facts
    from synops.tools.database import writing

    call.progress(0.95, "storing the facts")
    with writing(call) as cur:
        store_facts(cur, call.payload["cas_hash"], call.payload["extractor"], found)


def warm_up() -> None:
    """What `work` imports, for a launcher that forks (docs/tool-contract.md)."""
    import psycopg  # noqa: F401

    import synops.store.cases.facts
    import synops.store.files
    import synops.tools.database
    import synops.tools.documents.extractors
    import synops.tools.documents.facts
    import synops.tools.documents.reader  # noqa: F401


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
