"""What a payload may be: an object of at most 64 KiB without files in it. Files go into the store, their hash travels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from synops.store.sanitise import dumps

MAX_BYTES = 64 * 1024
MAX_BLOB_CHARACTERS = 4 * 1024
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\s]+={0,2}")


class PayloadRefused(ValueError):
    """A payload that no job can have; the text says why and what to do."""


def encode_payload(payload: Any) -> str:
    """The payload as the JSON text that is stored.

    Raises PayloadRefused for what is no object, is larger than 64 KiB, or carries a file as data: or base64.
    """
    if not isinstance(payload, Mapping):
        raise PayloadRefused("A payload must be a JSON object with the tool's params as keys.")
    try:
        text = dumps(dict(payload))
    except (TypeError, RecursionError) as error:
        raise PayloadRefused(f"The payload is no JSON: {error}.") from error
    if len(text) > MAX_BLOB_CHARACTERS:  # or it is too small for anything that is refused
        _refuse_large(payload, len(text.encode()))
    return text


def _refuse_large(payload: Mapping[str, Any], size: int) -> None:
    if size > MAX_BYTES:
        raise PayloadRefused(f"The payload is {size} bytes; at most {MAX_BYTES} fit. {_ADVICE}")
    for path, text in _texts(payload, "payload"):
        if len(text) > MAX_BLOB_CHARACTERS and _is_blob(text):
            raise PayloadRefused(f"{path} holds a file as text. {_ADVICE}")


_ADVICE = "Put the file in the store and send its hash."


def _is_blob(text: str) -> bool:
    return text.startswith("data:") or (" " not in text.strip() and _BASE64.fullmatch(text) is not None)


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _texts(item, f"{path}[{index}]")
