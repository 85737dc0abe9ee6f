"""An index for finding texts by meaning, where the database has pgvector. Without it every vector is compared.

pgvector can't be a migration's matter: a server may get it, or lose it, at any time, and the dimensions come from the
model that an installation uses. So this runs after `sync_tools`.
"""

from __future__ import annotations

import logging

from django.db import DatabaseError, connection, transaction

from synops.store.sql import Cursor

logger = logging.getLogger(__name__)

BUILT_IN_DIMENSIONS = 384
# What pgvector's hnsw takes of four-byte numbers.
MOST_DIMENSIONS = 2000


def ensure_vector_index() -> None:
    """Make the extension and one index for each number of dimensions in use; quietly nothing where that can't be."""
    try:
        with transaction.atomic(), connection.cursor() as cur:
            if _has_extension(cur):
                for dimensions in _in_use(cur):
                    _make_index(cur, dimensions)
    except DatabaseError as error:
        # Texts are found without it too, only more slowly.
        logger.warning("no index for vectors: %s", error)


def _has_extension(cur: Cursor) -> bool:
    cur.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")
    if cur.fetchone() is None:
        return False
    cur.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return True


def _in_use(cur: Cursor) -> list[int]:
    cur.execute(
        "SELECT DISTINCT dimensions FROM embeddings WHERE dimensions <= %(most)s ORDER BY 1", {"most": MOST_DIMENSIONS}
    )
    return sorted({BUILT_IN_DIMENSIONS, *(row[0] for row in cur.fetchall())})


def _make_index(cur: Cursor, dimensions: int) -> None:
    cur.execute(
        f"CREATE INDEX IF NOT EXISTS embeddings_nearest_{dimensions} ON embeddings "
        f"USING hnsw ((vector::vector({dimensions})) vector_cosine_ops) WHERE dimensions = {dimensions}"
    )
