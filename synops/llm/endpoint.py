"""Which server and which models: read from the environment, checked once, carried by value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from synops.llm.failures import NotUsable
from synops.store.locations import var_dir

TIERS: Final = (1, 2, 3)
DEFAULT_TIER: Final = 2


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One OpenAI-compatible server, its models by tier (1 small, 2 ordinary, 3 large), and how patient we are.

    `total_seconds` bounds one call with all its attempts and pauses, without the wait for a slot.
    """

    base_url: str
    api_key: str
    models: Mapping[int, str]
    slots: Path
    max_concurrent: int = 4
    pipeline_max_concurrent: int = 4
    embeddings_model: str = ""
    connect_seconds: float = 10
    read_seconds: float = 120
    total_seconds: float = 600
    attempts: int = 4
    backoff_seconds: float = 1

    def model(self, tier: int = DEFAULT_TIER) -> str:
        """The model of a tier. Raises NotUsable when none is named."""
        if not self.models[tier]:
            raise NotUsable("SYNOPS_LLM_MODEL names no model for the server of SYNOPS_LLM_BASE_URL; set it.")
        return self.models[tier]

    def masked(self, text: str) -> str:
        """`text` without the key, which servers like to repeat in their errors."""
        return text.replace(self.api_key, "***") if self.api_key else text

    @property
    def server(self) -> str:
        """The server's name for messages, without what may stand before an @."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or ""


def endpoint_of(environ: Mapping[str, str]) -> Endpoint | None:
    """The endpoint that the settings name, or None when SYNOPS_LLM_BASE_URL is unset. Raises NotUsable."""
    base_url = environ.get("SYNOPS_LLM_BASE_URL", "").strip().rstrip("/")
    if not base_url:
        return None
    _check_address(base_url)
    medium = environ.get("SYNOPS_LLM_MODEL", "").strip()
    return Endpoint(
        base_url=base_url,
        api_key=environ.get("SYNOPS_LLM_API_KEY", "").strip(),
        models={
            1: environ.get("SYNOPS_LLM_MODEL_SMALL", "").strip() or medium,
            2: medium,
            3: environ.get("SYNOPS_LLM_MODEL_LARGE", "").strip() or medium,
        },
        slots=var_dir(environ) / "llm-slots",
        max_concurrent=int(_number(environ, "SYNOPS_LLM_MAX_CONCURRENT", 4)),
        pipeline_max_concurrent=int(_number(environ, "PIPELINE_LLM_MAX_CONCURRENT", 4)),
        embeddings_model=environ.get("SYNOPS_EMBEDDINGS_MODEL", "").strip(),
        read_seconds=_number(environ, "SYNOPS_LLM_READ_TIMEOUT_SECONDS", 120),
        total_seconds=_number(environ, "SYNOPS_LLM_TIMEOUT_SECONDS", 600),
    )


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise NotUsable(
            "SYNOPS_LLM_BASE_URL must be an address such as https://openrouter.ai/api/v1 or http://127.0.0.1:8080/v1."
        )


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name, "").strip()
    try:
        number = float(text or default)
    except ValueError:
        number = 0
    if not 0 < number < float("inf") or ("CONCURRENT" in name and number < 1):
        raise NotUsable(f'{name} is "{text}" and must be a number above 0; its default is {default:g}.')
    return number
