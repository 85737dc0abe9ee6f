"""The styles of published websites, one a file: `plain` is the ground that the others stand on."""

from __future__ import annotations
