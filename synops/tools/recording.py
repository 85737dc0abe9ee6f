"""The recording that a call is about: its file in the store, the media nodes that hold it, and their collection."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from synops.store.collections import CollectionConfig, UnknownCollection, collection_config
from synops.store.files import UnknownFile
from synops.store.segments import collections_of, media_with_file
from synops.store.sql import Cursor
from synops.tools.call import Call
from synops.tools.failures import NoInput


class Recording(NamedTuple):
    """The media nodes with the file, the collection whose settings count, and all collections they belong to."""

    media: tuple[UUID, ...]
    collection: CollectionConfig
    collections: tuple[UUID, ...]


def stored_file(call: Call) -> Path:
    """Where the file `cas_hash` lies. Raises NoInput."""
    try:
        return call.store.path(call.payload["cas_hash"])
    except UnknownFile as error:
        raise NoInput(str(error)) from error


def find_recording(call: Call, cur: Cursor) -> Recording:
    """The media nodes with the file `cas_hash`, within the call's collection where it has one. Raises NoInput."""
    own = call.collection_id
    media = media_with_file(cur, call.payload["cas_hash"], own)
    if not media:
        where = " of the collection" if own else ""
        raise NoInput(f"no media node{where} holds the file {call.payload['cas_hash']}; add it to a recording first")
    collections = [own] if own else collections_of(cur, media[0])
    if not collections:
        raise NoInput(f"media node {media[0]} belongs to no collection")
    try:
        return Recording(tuple(media), collection_config(cur, collections[0]), tuple(collections))
    except UnknownCollection as error:
        raise NoInput(str(error)) from error
