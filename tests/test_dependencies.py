"""Every package has its reason in docs/dependencies.md, and an exact version."""

from __future__ import annotations

import re

import pytest

from synops.database.address import PROJECT

FILES = sorted(PROJECT.glob("requirements*.txt"))
LINE = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[a-z,]+\])?==[^=,;\s]+")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_requirement_is_pinned_and_has_its_reason(file) -> None:
    reasons = (PROJECT / "docs" / "dependencies.md").read_text()
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith(("#", "-r "))]

    assert lines
    for line in lines:
        requirement = LINE.fullmatch(line)
        assert requirement, f"not pinned exactly: {line}"
        name = requirement["name"]
        written = name in reasons or re.sub(r".*(-part\d+)", r"\1", name) in reasons
        assert written, f"{name} has no reason in docs/dependencies.md"
