"""Recipes as text files: what a person can keep in version control, send, and read back.

A file is the recipe's own text under a head of comment lines, so it compiles as it stands (`compile_orchestration`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from orchestration.compiling import LANGUAGES, tidy
from orchestration.models import Orchestration
from orchestration.recipes import Draft, Saved, save
from orchestration.states import Executor, Layer
from synops.store.collections import slugify

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

_HEAD = re.compile(r"#: *([a-z]+) *= *(.*)")
MAX_BYTES = 128 * 1024


class BadFile(ValueError):
    """A file that is no recipe; the text says why and where."""


@dataclass(frozen=True)
class RecipeFile:
    """What a file holds: `head` are its `#: name = value` lines."""

    head: Mapping[str, str]
    text: str


def export_text(recipe: Orchestration) -> str:
    """The recipe as a file."""
    head = {
        "title": " ".join(recipe.title.split()),
        "language": recipe.language,
        "layer": recipe.source_layer.value,
        "executor": recipe.executor.value,
        "intelligence": str(recipe.intelligence),
        "effort": str(recipe.effort),
    }
    return "".join(f"#: {name} = {value}\n" for name, value in head.items()) + recipe.content


def file_name(recipe: Orchestration) -> str:
    """A name for its file, safe everywhere."""
    return f"{slugify(recipe.title)[:60] or recipe.pk}.oppskrift.txt"


def read(data: bytes) -> RecipeFile:
    """Take a file apart. Raises BadFile."""
    if len(data) > MAX_BYTES:
        raise BadFile(f"the file is {len(data)} bytes; a recipe has at most {MAX_BYTES}")
    try:
        lines = tidy(data.decode("utf-8")).split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"the file is no UTF-8 text (byte {error.start})") from error
    head: dict[str, str] = {}
    while lines and (found := _HEAD.fullmatch(lines[0].rstrip())):
        head[found[1]] = found[2].strip()
        lines.pop(0)
    return RecipeFile(head, "\n".join(lines))


def import_file(
    data: bytes,
    *,
    user: AbstractBaseUser | None = None,
    recipe_id: UUID | None = None,
    collections: list[UUID] | None = None,
) -> Saved:
    """Save a file as a new recipe, or as the next version of one. Always a draft at first. Raises BadFile."""
    file = read(data)
    draft = Draft(
        text=file.text,
        title=file.head.get("title"),
        layer="technical" if _one_of(file, "layer", Layer.values) == Layer.TECHNICAL else "auto",
        executor=_one_of(file, "executor", Executor.values),
        language=_one_of(file, "language", LANGUAGES),
        intelligence=_level(file, "intelligence"),
        effort=_level(file, "effort"),
        collections=collections,
    )
    return save(draft, recipe_id=recipe_id, user=user)


def _one_of(file: RecipeFile, name: str, known: Any) -> str | None:
    value = file.head.get(name)
    if value is not None and value not in known:
        raise BadFile(f'"#: {name} = {value}": {name} is one of {", ".join(known)}')
    return value


def _level(file: RecipeFile, name: str) -> int | None:
    value = _one_of(file, name, ("1", "2", "3"))
    return int(value) if value else None
