"""The names of the client's settings, for the descriptions of tools. Light: `--describe` imports this."""

from __future__ import annotations

from typing import Final

SETTINGS: Final = (
    "SYNOPS_VAR",
    "SYNOPS_LLM_BASE_URL",
    "SYNOPS_LLM_MODEL",
    "SYNOPS_LLM_MODEL_SMALL",
    "SYNOPS_LLM_MODEL_LARGE",
    "SYNOPS_LLM_MAX_CONCURRENT",
    "SYNOPS_LLM_READ_TIMEOUT_SECONDS",
    "SYNOPS_LLM_TIMEOUT_SECONDS",
)
EMBEDDING_SETTINGS: Final = ("SYNOPS_EMBEDDINGS_MODEL",)
SECRETS: Final = ("SYNOPS_LLM_API_KEY",)
SPEECH_SETTINGS: Final = (
    "SYNOPS_VAR",
    "SYNOPS_SPEECH_BASE_URL",
    "SYNOPS_SPEECH_MODEL",
    "SYNOPS_SPEECH_VOICE_MODEL",
    "SYNOPS_LLM_TIMEOUT_SECONDS",
    "SYNOPS_LLM_READ_TIMEOUT_SECONDS",
)
SPEECH_SECRETS: Final = ("SYNOPS_SPEECH_API_KEY",)
