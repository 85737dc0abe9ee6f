"""Reads metadata, where anybody may have written anything: a value of the wrong type counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def text(value: Any) -> str:
    """A text without the space around it; empty for anything else."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: Any) -> tuple[str, ...]:
    """The texts of a list that say something."""
    return tuple(item.strip() for item in value if text(item)) if isinstance(value, list) else ()


def mapping(value: Any) -> Mapping[str, Any]:
    """An object; empty for anything else."""
    return value if isinstance(value, dict) else {}


def named_texts(value: Any) -> Mapping[str, str]:
    """The texts of an object by their names."""
    return {key: item for key, item in mapping(value).items() if isinstance(item, str)}


def moment(value: Any) -> datetime | None:
    """A time in ISO 8601; one without an offset is taken as UTC. None for anything else."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found
