"""The priority rules of what apps register: steps of pipelines, and types that run inside the worker. Idempotent."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps

from jobs.pipelines.registry import seed_values
from jobs.registries import registries
from resources.seeds import add_missing_rules
from synops.graph.seeds import is_migrated

INSIDE = {"cpu_weight": 0}
"""What runs inside a worker has a lane of its own and takes nothing of the machine's budget (design, inline lane)."""


def seed_pipelines(apps: Apps = installed_apps, **_: Any) -> None:
    """Create the rules that are missing; an operator's changes stay."""
    if is_migrated(apps, "resources", "PriorityRule") and is_migrated(apps, "jobs", "Generation"):
        add_missing_rules(seed_values())
        add_missing_rules(dict.fromkeys(registries.inline, INSIDE))
