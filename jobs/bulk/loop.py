"""The loop in every worker that does bulk operations. Several workers share them out piece by piece."""

from __future__ import annotations

import threading

from jobs.bulk.pieces import do_piece
from jobs.side_loop import SideLoop


class BulkOperations(SideLoop):
    """Goes on without a pause while there is something to do; between two pieces a stopping worker leaves off."""

    name = "bulk-operations"
    share = 0

    def __init__(self) -> None:
        super().__init__()
        self._stopping = threading.Event()

    async def run(self) -> None:
        """Rounds until cancelled."""
        try:
            await super().run()
        finally:
            self._stopping.set()

    def make_round(self) -> int:
        """All that there is to do; how many pieces it was."""
        pieces = 0
        while not self._stopping.is_set() and do_piece():
            pieces += 1
        return pieces
