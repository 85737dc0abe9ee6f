"""The pages of published websites as Jinja templates; synops-render fills them (synops/tools/templating.py)."""

from __future__ import annotations
