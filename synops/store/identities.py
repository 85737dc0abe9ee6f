"""Ids that never change, so that the same thing has the same id in every installation."""

from __future__ import annotations

from uuid import UUID, uuid5

NAMESPACE = UUID("6f1a6f0e-2f0c-5b0e-9f5a-5d9f3c1b7a10")
"""The namespace of every id that is made from a fixed name."""

SYSTEM_COLLECTION_ID = uuid5(NAMESPACE, "collection:system")
"""The seeded collection that the system's own jobs, tools and presets belong to."""
