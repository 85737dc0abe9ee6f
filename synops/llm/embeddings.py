"""Vectors of texts from the server's `/embeddings`, in batches and in order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from synops.llm.endpoint import Endpoint
from synops.llm.failures import NotUsable, Unavailable
from synops.llm.transport import post
from synops.llm.usage import Usage, usage_of

BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector a text, all of one length, from one model."""

    vectors: list[list[float]]
    model: str
    usage: Usage


def embed(endpoint: Endpoint, texts: Sequence[str], lane: str = "") -> Vectors:
    """The vectors of `texts` by SYNOPS_EMBEDDINGS_MODEL. Raises NotUsable, Unavailable."""
    model = endpoint.embeddings_model
    if not model:
        raise NotUsable("SYNOPS_EMBEDDINGS_MODEL is not set; it names the server's model for embeddings.")
    vectors: list[list[float]] = []
    usage = Usage()
    for at in range(0, len(texts), BATCH):
        batch = list(texts[at : at + BATCH])
        found, cost = post(endpoint, "/embeddings", {"model": model, "input": batch}, _read, lane)
        if len(found) != len(batch) or len({len(vector) for vector in vectors + found}) != 1:
            raise Unavailable(f"{endpoint.server} answered {len(batch)} texts with {len(found)} vectors of odd lengths")
        vectors += found
        usage += cost
    return Vectors(vectors, model, usage)


def _read(chunks: Iterator[bytes]) -> tuple[list[list[float]], Usage]:
    try:
        document = json.loads(b"".join(chunks))
        rows = sorted(document["data"], key=lambda row: row["index"])
        return [[float(number) for number in row["embedding"]] for row in rows], usage_of(document.get("usage"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unavailable(f"the model server's answer holds no embeddings ({type(error).__name__})") from error
