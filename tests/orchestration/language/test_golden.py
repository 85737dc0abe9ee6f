"""Every golden file is what the compiler makes now; blessing changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.language import compile_recipe
from orchestration.language.fixes import apply, machine_edits
from tests.orchestration.language import golden
from tests.orchestration.language.stand_in import vocabulary


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.ork"))


def stored(folder: Path, name: str) -> dict[str, str]:
    files = [path for path in folder.glob(f"{name}.*") if path.suffix != ".ork"]
    return {path.name.removeprefix(name): golden.read(path) for path in files}


@pytest.mark.parametrize("name", names(golden.GOOD))
def test_good(name: str) -> None:
    assert golden.made_of_good(golden.read(golden.GOOD / f"{name}.ork")) == stored(golden.GOOD, name)


@pytest.mark.parametrize("name", names(golden.BAD))
def test_bad(name: str) -> None:
    text = golden.read(golden.BAD / f"{name}.ork")
    assert golden.expected(text) == golden.reported(compile_recipe(text, vocabulary()))
    assert golden.made_of_bad(text) == stored(golden.BAD, name)


@pytest.mark.parametrize("name", [name for name in names(golden.BAD) if (golden.BAD / f"{name}.fixed").exists()])
def test_a_fixed_text_needs_no_further_fix(name: str) -> None:
    before = compile_recipe(golden.read(golden.BAD / f"{name}.ork"), vocabulary())
    after = compile_recipe(golden.read(golden.BAD / f"{name}.fixed"), vocabulary())
    assert len(after.diagnostics) < len(before.diagnostics)
    assert len(after.errors) <= len(before.errors)
    assert machine_edits(after) == []


def test_there_is_no_file_without_a_recipe() -> None:
    for folder in (golden.GOOD, golden.BAD):
        assert {path.name.split(".")[0] for path in folder.iterdir()} == set(names(folder))


def test_fixes_keep_the_rest_of_the_text() -> None:
    text = "# øverst\nNÅR innspilling avsluttet\noppsummer samtalen\n# nederst"
    edits = machine_edits(compile_recipe(text, vocabulary()))
    assert apply(text, edits) == "# øverst\nNÅR innspilling avsluttet\n1. oppsummer samtalen\n# nederst"
