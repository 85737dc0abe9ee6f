"""Synops: the background work of a small newsroom, on one PostgreSQL."""

from __future__ import annotations

__version__ = "0.1.0"
