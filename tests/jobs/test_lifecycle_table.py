"""The documentation draws the transitions that the code reads."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from jobs.lifecycle_table import lifecycle_table


def test_the_page_shows_the_transition_table():
    page = Path(settings.BASE_DIR, "docs", "job-lifecycle.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- transitions -->\n")[2].partition("\n<!-- /transitions -->")[0]
    assert shown == lifecycle_table(), "run `python -m jobs.lifecycle_table` and paste what it prints"
