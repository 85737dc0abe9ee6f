"""Where the database is: `DATABASE_URL`, or the embedded server's socket. Computes only, starts nothing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

PROJECT = Path(__file__).resolve().parents[2]
SOCKET_NAME = ".s.PGSQL.5432"
#: `sun_path` of Linux holds 108 bytes with the closing NUL; a longer path fails in the server and in every client.
LONGEST_SOCKET_PATH = 107


def var_directory(environ: Mapping[str, str]) -> Path:
    """The directory of everything that Synops writes: `SYNOPS_VAR`, default `<project>/var`."""
    return Path(environ.get("SYNOPS_VAR") or PROJECT / "var").resolve()


def is_embedded(environ: Mapping[str, str]) -> bool:
    """True when no `DATABASE_URL` is set, so that the embedded server is the database."""
    return not environ.get("DATABASE_URL", "").strip()


def address(environ: Mapping[str, str]) -> str:
    """The connection URL of the database, whether or not it runs."""
    if is_embedded(environ):
        return server_address(cluster_directory(environ))
    return environ["DATABASE_URL"].strip()


def direct_address(environ: Mapping[str, str]) -> str:
    """The URL that bypasses a connection pooler: `DATABASE_DIRECT_URL`, default the ordinary one.

    LISTEN and tools that write need a session of their own, which PgBouncer in transaction mode does not give.
    """
    return environ.get("DATABASE_DIRECT_URL", "").strip() or address(environ)


def cluster_directory(environ: Mapping[str, str]) -> Path:
    """The directory with the embedded server's locks, data and log."""
    return var_directory(environ) / "postgres"


def server_address(cluster: Path) -> str:
    """The URL of the server whose cluster directory is given; everything in the path is percent-encoded."""
    return f"postgresql://synops@/synops?host={quote(str(socket_directory(cluster)), safe='')}&port=5432"


def socket_directory(cluster: Path) -> Path:
    """The directory of the server's Unix socket: inside the cluster, or a short one in /tmp when that is too long.

    The owner is part of the short name because two users may have a cluster of the same path in their namespaces.
    """
    inside = cluster / "server"
    if len(os.fsencode(inside / SOCKET_NAME)) <= LONGEST_SOCKET_PATH:
        return inside
    owner = cluster.stat().st_uid if cluster.exists() else os.geteuid()
    digest = hashlib.sha256(os.fsencode(cluster)).hexdigest()[:12]
    return Path(f"/tmp/synops-{owner}-{digest}")  # noqa: S108 - ownership is checked before use, see home.py
