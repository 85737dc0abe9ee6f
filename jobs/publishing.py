"""Published again: index and feed of a collection in which something has been withdrawn or changed place.

The index also removes the pages of what is published no longer: a worker that can write to the public folder does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from jobs import queue, tool_nodes
from jobs.queue import NewJob
from synops.graph.columns import new_id
from synops.store.sql import Cursor


def publish_again(cursor: Cursor, collection: UUID, chain: Sequence[UUID]) -> None:
    """Enqueue both, as far as this installation has the tools, in the caller's transaction."""
    known = tool_nodes.descriptions(cursor)
    for job_type, payload in (
        ("render_index", {"target": "index", "node_id": str(collection)}),
        ("rss", {"collection_id": str(collection)}),
    ):
        if job_type in known:
            key = f"publish:{collection}"
            _enqueue_behind(cursor, NewJob(collection, job_type, payload, dedupe_key=key, chain=chain or None))


def _enqueue_behind(cursor: Cursor, wanted: NewJob) -> None:
    """One waiting job is enough for all changes, but a running one may have read the graph before this one: behind it."""
    while True:
        standing = queue.enqueue_unique(cursor, wanted, "replace")  # which holds a waiting job until we commit
        cursor.execute("SELECT status = 'running' FROM job_queue WHERE id = %(id)s", {"id": standing})
        if not (cursor.fetchone() or (False,))[0]:
            return
        wanted = replace(wanted, id=new_id(), dedupe_key=f"publish:{wanted.collection_id} after {standing}")
