"""Server-sent events: the `data:` lines of a stream, each a JSON document, or the one document of a plain answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from synops.llm.failures import Unavailable

DONE: Final = "[DONE]"


def documents(chunks: Iterable[bytes]) -> Iterator[Any]:
    """The JSON documents of an answer, as they come. A server that does not stream sends one, which is given whole.

    Raises Unavailable for what is neither: the page of a proxy, say.
    """
    lines = _lines(chunks)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        yield _parsed(first + "\n" + "\n".join(lines))
        return
    seen = False
    for line in _chain(first, lines):
        if line.startswith("data:"):
            seen = True
            data = line.removeprefix("data:").strip()
            if data == DONE:
                return
            yield _parsed(data)
    if not seen:
        raise Unavailable(f"the model server sent something that is no answer of a model: {_short(first)}")


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Lines as they are complete. Split as bytes: a chunk may end in the middle of a letter."""
    begun: list[bytes] = []  # not one growing string: a line of 30 MB in small chunks would be copied for each of them
    for chunk in chunks:
        first, *more = chunk.split(b"\n")
        begun.append(first)
        for piece in more:
            yield _decoded(begun)
            begun = [piece]
    yield _decoded(begun)


def _decoded(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode(errors="replace").rstrip("\r")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unavailable(f"the model server's stream is damaged: {_short(text)}") from error


def _short(text: str) -> str:
    return " ".join(text.split())[:200] or "nothing"
