"""The five recipes that ship with the product, as text and as drafts; compiled when the tools become known. Idempotent.

They belong to the system collection, as examples and starting points: a newsroom gives one to a collection of its own
(a `belongs_to` edge) and activates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any
from uuid import UUID, uuid5

from django.apps import apps as installed_apps
from django.apps.registry import Apps
from django.db import connection, transaction

from orchestration.compiling import digest
from orchestration.recipes import Stored, add_version
from orchestration.states import Executor, RecipeState
from orchestration.work_items import connect
from synops.graph.models import Node
from synops.graph.seeds import is_migrated
from synops.store.identities import NAMESPACE, SYSTEM_COLLECTION_ID
from synops.store.nodes import Node as StoredNode
from synops.store.nodes import insert_node, update_node


@dataclass(frozen=True)
class SeedRecipe:
    """A shipped recipe: its file in seed_recipes/, its title, and the seeds that its success triggers."""

    name: str
    title: str
    triggers: tuple[str, ...] = ()

    @property
    def id(self) -> UUID:
        """The same in every installation."""
        return seed_id(self.name)


def seed_id(name: str) -> UUID:
    return uuid5(NAMESPACE, f"orchestration:{name}")


SEEDS = (
    SeedRecipe("podcast", "Podcast: opptak → publisering", triggers=("aloud",)),
    SeedRecipe("publishing", "Publisering: artikkel → render → RSS"),
    SeedRecipe("enrichment", "AI-beriking: foreslå koblinger"),
    SeedRecipe("planned", "Planlagt publisering"),
    SeedRecipe("aloud", "Podcast: oppsummering → lyd (TTS)"),
)
SHIPPED = "shipped"
"""The note of a version that came with the product, as a code."""
PODCAST_ID = seed_id("podcast")


@cache
def text_of(name: str) -> str:
    """A seed's text as shipped."""
    return resources.files("orchestration.seed_recipes").joinpath(f"{name}.txt").read_text(encoding="utf-8")


def seed_recipes(apps: Apps = installed_apps, **_: Any) -> None:
    """Create the seeds that are missing; one that a person has changed, or deactivated, stays as it is."""
    if not is_migrated(apps, "orchestration", "Version"):
        return
    there = set(Node.objects.filter(pk__in=[seed.id for seed in SEEDS]).values_list("pk", flat=True))
    missing = [seed for seed in SEEDS if seed.id not in there]
    if missing:
        with transaction.atomic():
            _create(missing)


def _create(seeds: list[SeedRecipe]) -> None:
    with connection.cursor() as cursor:
        for seed in seeds:
            recipe = Stored(seed.id, seed.title, text_of(seed.name), _metadata(seed))
            insert_node(cursor, StoredNode(recipe.id, "orchestration", recipe.title, recipe.text))
            connect(cursor, recipe.id, "belongs_to", [SYSTEM_COLLECTION_ID])
            add_version(cursor, recipe, note=SHIPPED)
            update_node(cursor, recipe.id, metadata=recipe.metadata)
        for seed in seeds:
            connect(cursor, seed.id, "triggers", [seed_id(name) for name in seed.triggers])


def _metadata(seed: SeedRecipe) -> dict[str, Any]:
    return {
        "state": RecipeState.DRAFT.value,
        "executor": Executor.SCRIPT.value,
        "intelligence": 2,
        "effort": 2,
        "language": "nb",
        "source_hash": digest(text_of(seed.name)),
        "seed": seed.name,
    }
