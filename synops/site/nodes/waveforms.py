"""The drawing of a sound on its page: from the peaks that the waveform tool stored, in the colour of the text around it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from synops.store.files import FileStore, UnknownFile
from synops.tools.waveform import svg

LARGEST = 4 * 1024 * 1024


def drawing(metadata: Mapping[str, Any]) -> SafeString | None:
    """The SVG of a media node; None where there is none, or where its file is not what the tool writes."""
    kept = metadata.get("waveform")
    digest = str(kept.get("json_hash") or "") if isinstance(kept, dict) else ""
    if not FileStore.is_digest(digest):
        return None
    try:
        with FileStore(settings.STORE_DIR).open(digest) as file:
            peaks = json.loads(file.read(LARGEST))["data"]
        drawn = svg([int(peak) for peak in peaks])
    except (UnknownFile, OSError, ValueError, TypeError, KeyError):
        return None
    return mark_safe(drawn.replace('role="img"', 'aria-hidden="true"'))  # noqa: S308 (numbers only)
