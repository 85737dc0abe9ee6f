"""The front page: what the machine room does, at a glance; each part is a module and shows only what the viewer may see."""

from __future__ import annotations
