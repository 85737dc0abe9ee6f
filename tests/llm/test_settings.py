"""The settings that name the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from synops.llm.endpoint import endpoint_of
from synops.llm.failures import NotUsable


def test_settings(tmp_path: Path) -> None:
    base = {"SYNOPS_LLM_BASE_URL": "https://openrouter.ai/api/v1/", "SYNOPS_VAR": str(tmp_path)}
    assert endpoint_of({}) is None
    bare = endpoint_of(base)
    assert bare
    assert (bare.base_url, bare.server, bare.max_concurrent) == ("https://openrouter.ai/api/v1", "openrouter.ai", 4)
    with pytest.raises(NotUsable, match="SYNOPS_LLM_MODEL names no model"):
        bare.model()
    tiers = endpoint_of(base | {"SYNOPS_LLM_MODEL": "m", "SYNOPS_LLM_MODEL_SMALL": "s"})
    assert tiers
    assert [tiers.model(tier) for tier in (1, 2, 3)] == ["s", "m", "m"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"SYNOPS_LLM_BASE_URL": "openrouter.ai"},
        {"SYNOPS_LLM_BASE_URL": "file:///etc/passwd"},
        {"SYNOPS_LLM_BASE_URL": "http://[::1"},
        {"SYNOPS_LLM_BASE_URL": "http://x:99999/v1"},
        {"SYNOPS_LLM_MAX_CONCURRENT": "0"},
        {"SYNOPS_LLM_MAX_CONCURRENT": "many"},
        {"SYNOPS_LLM_TIMEOUT_SECONDS": "-1"},
        {"SYNOPS_LLM_READ_TIMEOUT_SECONDS": "nan"},
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, str]) -> None:
    with pytest.raises(NotUsable, match=next(iter(wrong))):
        endpoint_of({"SYNOPS_LLM_BASE_URL": "http://127.0.0.1/v1", **wrong})
