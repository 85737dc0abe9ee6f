"""Reading documents: what kind of file it is, its text page by page, and the facts that an extractor finds in it."""

from __future__ import annotations
