"""pytest plugin: files of few but long tests go first, so that the suite does not end with one process at work.

pytest-xdist would hand out files by their number of tests, the longest tests last.
"""

from __future__ import annotations

from pathlib import Path

import pytest

#: Files that take longer than ten seconds by themselves, the longest first (`pytest --durations=50`).
LONG_FILES = (
    "newcomer/test_start.py",
    "site/test_journeys.py",
    "orchestration/test_demo.py",
    "orchestration/test_crashes.py",
    "orchestration/test_seed_recipes.py",
    "site/test_recipe_editor.py",
    "tools/test_as_jobs.py",
    "tools/test_transcribe.py",
    "jobs/pipelines/cases/test_demo_cases.py",
    "orchestration/test_killed_in_a_step.py",
    "tools/test_suggest_edges.py",
    "orchestration/language/test_any_text.py",
    "jobs/live/test_server.py",
    "jobs/worker/test_restart.py",
    "orchestration/test_events.py",
    "jobs/pipelines/test_races.py",
    "jobs/test_queue_model.py",
    "jobs/worker/test_running.py",
    "jobs/worker/test_dying.py",
    "jobs/worker/test_stuck.py",
    "jobs/launcher/test_no_leaks.py",
    "tools/test_summarize.py",
    "tools/test_tts.py",
    "database/test_life.py",
)
PLACES = {Path(__file__).parent / name: place for place, name in enumerate(LONG_FILES)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: PLACES.get(item.path, len(PLACES)))
