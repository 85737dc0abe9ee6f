"""Presets of AI tools: prompts that a newsroom writes once, as nodes of kind `ai_preset` (docs/graph.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from synops.store.identities import NAMESPACE, SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor

SHIPPED: Final = (
    (
        "clean",
        "Rens tekst",
        (
            "Rett opp teksten: skrivefeil, tegnsetting, fyllord og gjentakelser. Behold mening, rekkefølge, navn og tall. "
            "Svar med teksten alene."
        ),
    ),
    (
        "summarize",
        "Oppsummer",
        "Oppsummer teksten i tre til fem setninger for en som ikke har lest den. Svar med sammendraget alene.",
    ),
    (
        "extract_facts",
        "Trekk ut fakta",
        "List opp faktaopplysningene i teksten: hvem, hva, når, hvor og hvor mye. En på hver linje, med bindestrek foran.",
    ),
    (
        "rewrite",
        "Skriv om",
        (
            "Skriv teksten om slik at den blir klar og lett å lese, med korte setninger og samme innhold. "
            "Svar med teksten alene."
        ),
    ),
)
"""Key, title, instruction. The key is also the task that is done by rules where there is no model."""


class UnknownPreset(LookupError):
    """No preset of this name is within reach."""


@dataclass(frozen=True, slots=True)
class Preset:
    """`task` is what is done without a model; empty = nothing can be. `tier` is the model's, None = the call's."""

    id: UUID
    title: str
    instruction: str
    task: str
    tier: int | None


def preset_id(key: str) -> UUID:
    """The id of a shipped preset, the same everywhere."""
    return uuid5(NAMESPACE, f"ai_preset:{key}")


def find_preset(cur: Cursor, name: str, collection_id: UUID | None) -> Preset:
    """The preset with this id, key or title, of the collection (before) or of the system. Raises UnknownPreset."""
    # Indexes: nodes_kind_created (kind), edges_once (source, type, target). There are dozens of presets, not thousands.
    cur.execute(
        """SELECT node.id, node.title, node.content, node.metadata::text
           FROM nodes node
           JOIN edges own ON own.source_id = node.id AND own.edge_type = 'belongs_to'
           WHERE node.node_kind = 'ai_preset'
             AND (node.id::text = lower(%(name)s) OR node.metadata ->> 'key' = %(name)s OR lower(node.title) = lower(%(name)s))
             AND (%(collection)s::uuid IS NULL OR own.target_id IN (%(collection)s, %(system)s))
           ORDER BY own.target_id = %(system)s, node.id LIMIT 1""",
        {"name": name, "collection": collection_id, "system": SYSTEM_COLLECTION_ID},
    )
    row = cur.fetchone()
    if row is None:
        raise UnknownPreset(f'there is no preset "{name}"; a preset is a node of kind ai_preset in the collection')
    return _preset(row)


def _preset(row: tuple[Any, ...]) -> Preset:
    metadata = json.loads(row[3])
    task, tier = metadata.get("task"), metadata.get("tier")
    return Preset(
        UUID(str(row[0])),
        row[1],
        row[2],
        task if isinstance(task, str) else "",
        tier if tier in (1, 2, 3) and not isinstance(tier, bool) else None,
    )
