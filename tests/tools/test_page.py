from __future__ import annotations

from pathlib import Path

from synops.tools.page import page


def test_the_page_of_tools_is_what_the_tools_say() -> None:
    path = Path(__file__).parents[2] / "docs" / "tools.md"
    assert path.read_text(encoding="utf-8") == page(), "run: python -m synops.tools.page > docs/tools.md"
