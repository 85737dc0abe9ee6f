"""What PostgreSQL's jsonb and text cannot hold is taken out here, once, for everybody.

jsonb refuses the character NUL and lone surrogates, and JSON has no NaN or infinity. A program's output, the
name of a file or a model's answer may hold any of them; one such character must not make a finished job unfinishable.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeAlias

# Any stands for a nested JSON value: mypy's recursive aliases make every reader of a payload cast.
JSON: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def clean_text(text: str) -> str:
    """`text` with every NUL and lone surrogate replaced by U+FFFD, so that the loss can be seen."""
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def clean(value: Any) -> JSON:
    """A copy of `value` that jsonb accepts.

    Tuples become lists, keys become strings, NaN and infinity become null. A value that is no JSON at all
    (bytes, an object) raises TypeError; nesting beyond Python's recursion limit raises RecursionError.
    """
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean_text(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    raise TypeError(f"{type(value).__name__} is no JSON value")


def dumps(value: Any) -> str:
    """`value`, cleaned, as the JSON text that a `%(name)s::jsonb` parameter takes."""
    try:
        text = _encode(value)
    except (TypeError, ValueError):  # a key that is no string, NaN; or no JSON at all, as clean will say
        return _encode(clean(value))
    # Nearly every value is clean, and a look at its text costs a fraction of a walk through the value.
    return text if _is_storable(text) else _encode(clean(value))


def _is_storable(encoded: str) -> bool:
    return "\\u0000" not in encoded and (encoded.isascii() or not _SURROGATE.search(encoded))


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
