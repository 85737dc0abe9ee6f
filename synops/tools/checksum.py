"""synops-checksum: the digest, size and media type of a stored file, read from its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.failures import BadInput, NoInput
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.tools.call import Call

DESCRIPTION = Description(
    name="synops-checksum",
    version="0.1.0",
    description={
        "nb": "Kontrollerer en lagret fil: regner ut sjekksummen på nytt og oppgir størrelse og filtype.",
        "en": "Checks a stored file: computes its digest again and reports its size and media type.",
    },
    job_types=("checksum",),
    aliases={
        "nb": ("regn ut sjekksum", "kontroller sjekksum"),
        "nn": ("rekn ut sjekksum", "kontroller sjekksum"),
        "en": ("compute checksum", "verify checksum"),
    },
    params=(
        Param(
            name="cas_hash",
            type="hash",
            required=True,
            bind=("event.cas_hash",),
            hints={
                "nb": ("fil", "filen", "lydfil", "lydfilen", "opptak", "opptaket"),
                "nn": ("fil", "fila", "lydfil", "lydfila", "opptak", "opptaket"),
                "en": ("file", "the file", "audio file", "the audio file", "recording", "the recording"),
            },
            description={"nb": "Filens sha256 i fillageret.", "en": "The file's sha256 in the file store."},
        ),
    ),
    outputs={"digest": "string", "size": "integer", "media_type": "string"},
    preload=True,
    settings=("STORE_DIR", "SYNOPS_VAR"),
    exit_codes="sysexits",
    examples=("synops-checksum --cas-hash=$(sha256sum talk.mp3 | cut -d' ' -f1)",),
)


def work(call: Call) -> dict[str, Any]:
    """Read the whole file once; the digest is computed, not copied from the question."""
    from synops.store.files import DamagedFile, UnknownFile
    from synops.store.mediatype import media_type

    digest = call.payload["cas_hash"]
    call.progress(0, "reading the file")
    try:
        stored = call.store.verify(digest)
    except UnknownFile as error:
        raise NoInput(str(error)) from error
    except DamagedFile as error:
        raise BadInput(f"the stored file is damaged: {error}") from error
    with call.store.open(digest) as stream:
        return {"digest": stored.digest, "size": stored.size, "media_type": media_type(stream.read(4096))}


def warm_up() -> None:
    """What `work` imports, for a launcher that forks (docs/tool-contract.md)."""
    import synops.store.files
    import synops.store.mediatype  # noqa: F401


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
