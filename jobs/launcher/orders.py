"""What a launcher is told at its start."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a launcher must know at its start, in its command line as JSON. `adopt`: slots that it had before it was
    executed anew, each as (index, pid, descriptor of the lifeline)."""

    control: int
    worker: int
    slots: int
    recycle_after: int
    preload: list[str]
    adopt: list[tuple[int, int, int]] = field(default_factory=list)

    def command(self) -> list[str]:
        """The command line. -P: whatever lies in the current directory is not to be imported."""
        return [sys.executable, "-P", "-m", "jobs.launcher", json.dumps(asdict(self))]
