"""What `manage.py` does around a command: a database before it, a sentence instead of a traceback after it."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

from synops.database import DatabaseUnavailable, enter, is_embedded
from synops.database.server import disk_full

#: Commands that read no table; they start nothing.
WITHOUT_DATABASE = frozenset({
    "check", "collectstatic", "compilemessages", "diffsettings", "findstatic", "help", "makemessages", "startapp",
    "startproject", "version",
})  # fmt: skip
#: Commands of the recipe language; with a vocabulary from files they need no database.
LANGUAGE_COMMANDS = frozenset({"compile_orchestration", "recipe_language_server"})
#: Commands that make or repair the tables; they get the server as it is.
UNFURNISHED = frozenset({"dbshell", "makemigrations", "migrate", "showmigrations", "sqlmigrate", "squashmigrations"})
OLDEST_SERVER = 150000
#: A host that swallows packets would otherwise hold every command for minutes.
CONNECT_SECONDS = "10"


def main(argv: Sequence[str]) -> None:
    """Runs `manage.py` with these arguments; exits with 1 and a sentence on what a person can put right."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synops.settings")
    os.environ.setdefault("PGCONNECT_TIMEOUT", CONNECT_SECONDS)
    if argv[1:2] == ["runworker"]:
        end_quietly_until_it_works()
    try:
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        fail(f"Django is not installed for {sys.executable}. Run `make install`, then .venv/bin/python manage.py.")
    with told("--traceback" in argv):
        if needs_database(argv):
            prepare_database(argv[1])
        execute_from_command_line(list(argv))


def end_quietly_until_it_works() -> None:
    """A worker that is stopped while it still imports has claimed nothing, so it has not failed: exit status 0.

    Its loop puts its own handlers in the place of these before its first claim. `_exit`, because an exception may be
    swallowed by whatever is being imported.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: os._exit(0))


def needs_database(argv: Sequence[str]) -> bool:
    """Whether the command line is one that talks to the database."""
    if len(argv) < 2 or {"--help", "-h", "--version"} & set(argv[1:]):
        return False
    if argv[1] in LANGUAGE_COMMANDS and any(word.partition("=")[0] in ("--tools", "--explain") for word in argv[2:]):
        return False
    return argv[1] not in WITHOUT_DATABASE or (argv[1] == "check" and any(a.startswith("--database") for a in argv))


def prepare_database(command: str) -> None:
    """Enters the embedded server, or makes sure that the one of `DATABASE_URL` answers."""
    import synops.settings  # noqa: F401 - reads .env, which may hold DATABASE_URL

    if is_embedded(os.environ):
        enter(furnished=command not in UNFURNISHED)
    else:
        try_connection()


def try_connection() -> None:
    """Connects once, so that what is wrong with the address is said before anything starts."""
    from django.db import OperationalError, connection

    try:
        connection.ensure_connection()
    except OperationalError as error:
        raise DatabaseUnavailable(
            f"The database of DATABASE_URL cannot be used: {first_line(error)}. Start PostgreSQL there, or correct "
            "DATABASE_URL, or unset it to use the embedded PostgreSQL."
        ) from error
    assert connection.connection is not None  # noqa: S101 - for the type checker
    version = connection.connection.info.server_version
    connection.close()
    if version < OLDEST_SERVER:
        raise DatabaseUnavailable(
            f"The server of DATABASE_URL is PostgreSQL {version // 10000}; Synops needs 15 or newer."
        )


@contextlib.contextmanager
def told(traceback_wanted: bool) -> Iterator[None]:
    """Ends the process with one sentence for errors of the surroundings; a fault of ours keeps its traceback."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        sentence = sentence_for(error)
        if traceback_wanted or sentence is None:
            raise
        fail(sentence)


def sentence_for(error: Exception) -> str | None:
    """What to tell a person about an error of the surroundings; None for any other error."""
    from django.core.exceptions import ImproperlyConfigured
    from django.db import OperationalError

    if isinstance(error, DatabaseUnavailable):
        return str(error)
    if isinstance(error, ImproperlyConfigured):
        return f"A setting is wrong: {error}"
    if isinstance(error, OperationalError):
        if getattr(error.__cause__, "sqlstate", None) == "53100":
            return disk_full(place_of_database())
        return f"The database failed: {first_line(error)}."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(error.filename or "Synops")
    return None


def place_of_database() -> str:
    """Which disk is meant when the database says that its disk is full."""
    return "the embedded PostgreSQL" if is_embedded(os.environ) else "the database of DATABASE_URL"


def first_line(error: Exception) -> str:
    """The first line of what the driver says; the rest repeats it for each address that it tried."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".:")


def fail(sentence: str) -> NoReturn:
    sys.stderr.write(f"synops: {sentence}\n")
    sys.exit(1)
