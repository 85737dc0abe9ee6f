"""How a worker was started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How this worker was started. Times in seconds."""

    machine: str
    version: str
    max_concurrent: int
    poll_seconds: float
    database_url: str
    direct_url: str
    var: Path
    settings: Mapping[str, str]
    types: tuple[str, ...] | None = None
    drain: bool = False
    governor: str = "auto"
    max_total_weight: int = 8
    live_call_weight: int = 2
    live_call_max_hours: int = 12
    heartbeat_seconds: float = 10.0
    ttl_seconds: float = 30.0
    sweep_seconds: float = 10.0
    disk_seconds: float = 60.0
    drain_seconds: float = 30.0
    grace_seconds: float = 10.0
