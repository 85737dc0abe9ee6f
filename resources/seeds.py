"""The priority rules that ship with the product: one for every job type of the spec (jobbkø §4.3–5). Idempotent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps

from resources.models import PriorityRule
from synops.graph.seeds import is_migrated

SHIPPED_RULES: dict[str, dict[str, Any]] = {
    "whisper_transcribe": {"cpu_weight": 5, "max_concurrent": 1, "livekit_priority_adj": -3, "timeout_seconds": 3600},
    "srt_parse": {},
    "openrouter_analyze": {"livekit_priority_adj": -1},
    "ai_text_process": {"base_priority": 10},
    "ai_process": {"base_priority": 10},
    "dictation_cleanup": {"base_priority": 10},
    "research_clip": {"base_priority": 10},
    "agent_respond": {"base_priority": 10},
    "url_ingest": {},
    "meeting_summarize": {},
    "summarize_communication": {},
    "suggest_edges": {"base_priority": 3},
    "tts_generate": {"cpu_weight": 2, "livekit_priority_adj": -2},
    "audio_process": {"cpu_weight": 3, "livekit_priority_adj": -2, "max_concurrent": 2, "timeout_seconds": 1800},
    "generate_waveform": {"cpu_weight": 2, "livekit_priority_adj": -1},
    "render_article": {"max_concurrent": 2},
    "render_index": {"max_concurrent": 2},
    "rss": {"max_concurrent": 2},
    "valgomat_generate_profile": {"base_priority": 3, "livekit_priority_adj": -1},
    "valgomat_moderation": {"base_priority": 3, "livekit_priority_adj": -1},
    "stats_parse": {"base_priority": 1, "max_concurrent": 1, "livekit_priority_adj": -1},
    "generate_embeddings": {
        "base_priority": 1,
        "cpu_weight": 3,
        "max_concurrent": 1,
        "livekit_priority_adj": -1,
        "block_during_livekit": True,
    },
    "prompt_eval": {"base_priority": 1, "livekit_priority_adj": -1, "block_during_livekit": True},
    "checksum": {"base_priority": 5},
    "pg_insert_node": {"cpu_weight": 0, "base_priority": 8},
    "pg_insert_edge": {"cpu_weight": 0, "base_priority": 8},
    "pg_update_node": {"cpu_weight": 0, "base_priority": 8},
    "pg_delete_node": {"cpu_weight": 0, "base_priority": 8},
    "pg_delete_edge": {"cpu_weight": 0, "base_priority": 8},
}


def seed_rules(apps: Apps = installed_apps, **_: Any) -> None:
    """Create the rules that are missing; an operator's changes stay."""
    if is_migrated(apps, "resources", "PriorityRule"):
        add_missing_rules(SHIPPED_RULES)


def add_missing_rules(rules: Mapping[str, Mapping[str, Any]]) -> None:
    """Create the rules of job types that have none."""
    existing = set(PriorityRule.objects.values_list("job_type", flat=True))
    PriorityRule.objects.bulk_create(
        [PriorityRule(job_type=job_type, **rule) for job_type, rule in rules.items() if job_type not in existing],
        ignore_conflicts=True,
    )
