"""The database that Synops talks to: `DATABASE_URL`, or an embedded PostgreSQL when none is set.

Everything here works without Django and without any package, so that settings, tools and tests can use it alike.
"""

from __future__ import annotations

from synops.database.address import address, direct_address, is_embedded, var_directory
from synops.database.binaries import find_binaries
from synops.database.cluster import Cluster, enter, just_furnished, leave, temporary_cluster
from synops.database.errors import DatabaseUnavailable

__all__ = [
    "Cluster",
    "DatabaseUnavailable",
    "address",
    "direct_address",
    "enter",
    "find_binaries",
    "is_embedded",
    "just_furnished",
    "leave",
    "temporary_cluster",
    "var_directory",
]
