from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from synops.store.collections import (
    UnknownCollection,
    collection_config,
    find_collection,
    folder_name,
    slugify,
)
from synops.store.nodes import Node, insert_node
from synops.store.sql import Cursor


def collection(cur: Cursor, title: str = "Sidelinja", kind: str = "collection", **metadata: Any) -> UUID:
    node = Node(uuid4(), kind, title, "Om sporten", metadata)
    insert_node(cur, node)
    return node.id


def test_everything_a_collection_says(cur: Cursor) -> None:
    key = collection(
        cur,
        slug="sidelinja",
        language="nn",
        names=["Kari Nordmann", " Nes "],
        traits=["podcast"],
        prompts={"summary": "Kort."},
        podcast={"author": "Redaksjonen"},
    )
    config = collection_config(cur, key)
    assert (config.id, config.slug, config.title, config.description) == (key, "sidelinja", "Sidelinja", "Om sporten")
    assert (config.language, config.names, config.traits) == ("nn", ("Kari Nordmann", "Nes"), ("podcast",))
    assert (config.prompts, config.podcast) == ({"summary": "Kort."}, {"author": "Redaksjonen"})


@pytest.mark.parametrize("wrong", [None, 7, "text", ["x", 3, ""], {"a": 1}])
def test_wrong_types_count_as_absent(cur: Cursor, wrong: Any) -> None:
    key = collection(
        cur, slug=wrong if wrong != "text" else "../..", language=7, names=wrong, prompts=wrong, podcast=wrong
    )
    config = collection_config(cur, key)
    assert config.slug == f"sidelinja-{str(key)[-8:]}"
    assert config.language == "nb"
    assert config.names == (("x",) if isinstance(wrong, list) else ())
    assert config.prompts == {}
    assert config.podcast == (wrong if isinstance(wrong, dict) else {})


def test_other_nodes_are_no_collections(cur: Cursor) -> None:
    with pytest.raises(UnknownCollection, match="kind content"):
        collection_config(cur, collection(cur, kind="content"))
    with pytest.raises(UnknownCollection, match="there is no collection"):
        collection_config(cur, uuid4())


def test_a_collection_is_found_by_id_and_by_slug(cur: Cursor) -> None:
    key = collection(cur, slug="sidelinja")
    assert (
        find_collection(cur, str(key))
        == find_collection(cur, str(key).upper())
        == find_collection(cur, "sidelinja")
        == key
    )
    with pytest.raises(UnknownCollection, match="no collection has"):
        find_collection(cur, "nowhere")
    collection(cur, slug="sidelinja")
    with pytest.raises(UnknownCollection, match="several collections have"):
        find_collection(cur, "sidelinja")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Æresgjest på Øya", "aeresgjest-pa-oya"),
        ("  Café -- Ñandú! ", "cafe-nandu"),
        ("../../etc", "etc"),
        ("日本語", ""),
    ],
)
def test_slugs(title: str, expected: str) -> None:
    assert slugify(title) == expected


def test_two_collections_of_one_title_have_different_folders() -> None:
    # Made within a minute, ids of version 7 begin alike.
    one, two = UUID("01a22e7c-a086-7304-bb15-a0a2eecb8e71"), UUID("01a22e7c-a725-775f-9d46-8c22f2be6a1a")
    assert folder_name(None, "Podkast", one) != folder_name(None, "Podkast", two)
    assert folder_name("x" * 65, "日本語", one) == str(one)[-8:]
    assert folder_name("-a", "A", one) == folder_name("", "A", one) == f"a-{str(one)[-8:]}"
