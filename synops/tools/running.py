"""One run of a tool around the function that does the work: a checked call in, a result or a failure out."""

from __future__ import annotations

import errno
import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

from synops.tools.arguments import FlagParser, UsageError, flag_parser, validate_payload, with_defaults
from synops.tools.call import Call, Job, job_of
from synops.tools.console import Console
from synops.tools.describe import Description
from synops.tools.failures import (
    CANNOT_WRITE,
    CONFIG,
    OK,
    SOFTWARE,
    TRY_AGAIN,
    UNAVAILABLE,
    BadUsage,
    NoInput,
    ToolFailure,
)
from synops.tools.program import die_of

#: Where nothing more can be written, and a person makes room.
NO_ROOM: Final = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "no file may be so large",
}


class Terminated(BaseException):
    """SIGTERM arrived: unwind, so that temporary files go and transactions roll back, and then die of it."""


def perform(description: Description, work: Callable[[Call], Any], arguments: list[str]) -> int:
    """Read the call, do the work, write its result; every failure becomes a sentence and an exit code."""
    console = Console(description.name)
    try:
        signal.signal(signal.SIGTERM, _terminate)
        call = read_call(console, description, arguments)
        console.result(work(call))
        return OK
    except (Terminated, KeyboardInterrupt) as stopped:
        die_of(signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT)
        raise
    except ToolFailure as failure:
        console.failure(str(failure), failure.exit_code)
        return failure.exit_code
    except Exception as error:  # noqa: BLE001 whatever it is, it must become one line, one sentence and an exit code
        return _unforeseen(console, error)


def read_call(console: Console, description: Description, arguments: list[str]) -> Call:
    """Flags and `--payload-json` as one checked call; flags win. Raises BadUsage with everything that is wrong."""
    try:
        given = vars(_contract_parser(description).parse_args(arguments))
    except UsageError as error:
        raise BadUsage(f"{error} (see {description.name} --help)") from error
    document = given.pop("payload_json")
    write = bool(given.pop("write", False))
    flags = {name: value for name, value in given.items() if value is not None}
    environ = dict(os.environ)
    job = job_of(environ)
    payload = _payload(document) | flags
    if problems := validate_payload(description, payload, by_hand=job is None):
        raise BadUsage("; ".join(problems) + f" (see {description.name} --help)")
    return Call(with_defaults(description, payload), write, _with_settings(environ, job), job, console)


@functools.lru_cache
def _contract_parser(description: Description) -> FlagParser:
    """Made once: a fork of a launcher finds the one that was made before it."""
    parser = flag_parser(description)
    parser.add_argument("--payload-json")
    if description.database == "write":
        parser.add_argument("--write", action="store_const", const=True)
    parser.parse_args(["--payload-json=null"])  # argparse compiles its patterns when it first reads a value
    return parser


def _payload(document: str | None) -> dict[str, Any]:
    """The object that `--payload-json` gives: JSON itself, `@FILE`, or `-` for stdin."""
    if document is None:
        return {}
    import json

    try:
        payload = json.loads(_payload_text(document))
    except (ValueError, RecursionError) as error:
        raise BadUsage(f"--payload-json is no JSON: {error}") from error
    if not isinstance(payload, dict):
        raise BadUsage("--payload-json must be a JSON object with the params as keys")
    return payload


def _payload_text(document: str) -> str | bytes:
    from pathlib import Path

    try:
        if document == "-":
            return sys.stdin.buffer.read()
        if document.startswith("@"):
            return Path(document[1:]).read_bytes()
    except OSError as error:
        raise NoInput(f"--payload-json {document} can't be read: {error.strerror}") from error
    return document


def _with_settings(environ: dict[str, str], job: Job | None) -> dict[str, str]:
    """By hand the project's .env counts too, as it does for the web server; a job gets what its worker gives it."""
    if job is None:
        from synops.tools.environment import with_env_file

        return with_env_file(environ)
    return environ


def _terminate(_signum: int, _frame: object) -> None:
    raise Terminated


def _unforeseen(console: Console, error: Exception) -> int:
    import traceback

    if isinstance(error, OSError) and error.errno in NO_ROOM:
        where = error.filename or "the file system"
        console.failure(f"{NO_ROOM[error.errno]} ({where}); nothing was written. Free space and retry.", TRY_AGAIN)
        return TRY_AGAIN
    if (code := _store_failure(error)) is not None:
        console.failure(str(error), code)
        return code
    console.log("".join(traceback.format_exception(error)).rstrip("\n"))
    if isinstance(error, OSError) and error.filename:
        console.failure(f"{error.filename} can't be read or written: {error.strerror}", CANNOT_WRITE)
        return CANNOT_WRITE
    what = f"unforeseen {type(error).__name__}: {error}"
    console.failure(f"{what} (an error in the tool; the lines above say where)", SOFTWARE)
    return SOFTWARE


def _store_failure(error: Exception) -> int | None:
    """What the file store of another machine says; None for every other error."""
    from synops.store.files import StoreAway, StoreRefused

    if isinstance(error, StoreAway):
        return UNAVAILABLE
    return CONFIG if isinstance(error, StoreRefused) else None
