"""Where the database is: `DATABASE_URL`, or the embedded server's socket. Computes only, starts nothing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit

from synops.database.errors import DatabaseUnavailable

PROJECT = Path(__file__).resolve().parents[2]
SOCKET_NAME = ".s.PGSQL.5432"
#: `sun_path` of Linux holds 108 bytes with the closing NUL; a longer path fails in the server and in every client.
LONGEST_SOCKET_PATH = 107
FORM = (
    "Write it as postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded (# is %23), "
    "or leave it unset to use the embedded PostgreSQL."
)


def var_directory(environ: Mapping[str, str]) -> Path:
    """The directory of everything that Synops writes: `SYNOPS_VAR`, default `<project>/var`."""
    return Path(environ.get("SYNOPS_VAR") or PROJECT / "var").resolve()


def is_embedded(environ: Mapping[str, str]) -> bool:
    """True when no `DATABASE_URL` is set, so that the embedded server is the database."""
    return not environ.get("DATABASE_URL", "").strip()


def address(environ: Mapping[str, str]) -> str:
    """The connection URL of the database, whether or not it runs. Raises `DatabaseUnavailable` when it is no URL."""
    if is_embedded(environ):
        return server_address(cluster_directory(environ))
    return checked(environ["DATABASE_URL"].strip(), "DATABASE_URL")


def direct_address(environ: Mapping[str, str]) -> str:
    """The URL that bypasses a connection pooler: `DATABASE_DIRECT_URL`, default the ordinary one.

    LISTEN and tools that write need a session of their own, which PgBouncer in transaction mode does not give.
    """
    direct = environ.get("DATABASE_DIRECT_URL", "").strip()
    return checked(direct, "DATABASE_DIRECT_URL") if direct else address(environ)


def checked(url: str, name: str) -> str:
    """The URL, or a sentence on what is wrong with it. The sentence never holds the URL: it may hold a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise DatabaseUnavailable(f"{name} cannot be read: its host or port is malformed. {FORM}") from None
    if parts.scheme not in ("postgresql", "postgres"):
        scheme = f"it begins with “{parts.scheme}:”" if "://" in url else "it is no URL"
        raise DatabaseUnavailable(f"{name} cannot be read: {scheme}. {FORM}")
    if port == 0 or not parts.path.strip("/"):
        wrong = "port 0 is no port" if port == 0 else "it names no database"
        raise DatabaseUnavailable(f"{name} cannot be read: {wrong}. {FORM}")
    return url


def cluster_directory(environ: Mapping[str, str]) -> Path:
    """The directory with the embedded server's locks, data and log."""
    return var_directory(environ) / "postgres"


def server_address(cluster: Path) -> str:
    """The URL of the server whose cluster directory is given; everything in the path is percent-encoded."""
    return f"postgresql://synops@/synops?host={quote(str(socket_directory(cluster)), safe='')}&port=5432"


def socket_directory(cluster: Path) -> Path:
    """The directory of the server's Unix socket: inside the cluster, or in /tmp when that path is too long.

    Likewise with a comma in it: libpq takes the host for a list, and knows no way to quote.
    The owner is part of the short name because two users may have a cluster of the same path in their namespaces.
    """
    inside = cluster / "server"
    if len(os.fsencode(inside / SOCKET_NAME)) <= LONGEST_SOCKET_PATH and "," not in str(inside):
        return inside
    owner = cluster.stat().st_uid if cluster.exists() else os.geteuid()
    digest = hashlib.sha256(os.fsencode(cluster)).hexdigest()[:12]
    return Path(f"/tmp/synops-{owner}-{digest}")  # noqa: S108 - ownership is checked before use, see home.py
