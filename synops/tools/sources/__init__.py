"""Where cases come from: one protocol, a folder tree and an HTTP service that follow it (docs/cases.md)."""

from __future__ import annotations
