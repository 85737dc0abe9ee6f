"""What the apps' pipelines start with: the priority rules of their steps. Idempotent, by any number of processes."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed_apps
from django.apps.registry import Apps

from jobs.pipelines.registry import seed_values
from resources.seeds import add_missing_rules
from synops.graph.seeds import is_migrated


def seed_pipelines(apps: Apps = installed_apps, **_: Any) -> None:
    """Create the rules that are missing; an operator's changes stay."""
    if is_migrated(apps, "resources", "PriorityRule") and is_migrated(apps, "jobs", "Generation"):
        add_missing_rules(seed_values())
