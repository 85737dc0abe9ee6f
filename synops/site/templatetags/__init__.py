"""Template tags of the admin pages."""

from __future__ import annotations
