"""`make screenshots`: a small newsroom on a server of its own, and a picture of each page of it."""

from __future__ import annotations
