"""Schedules: when the clock enqueues what (docs/pipelines.md). The names here are what an app needs that declares some."""

from __future__ import annotations

from jobs.schedules.cron import CronRefused, check, latest_tick, next_ticks
from jobs.schedules.declared import NEVER, schedule, schedule_job
from jobs.schedules.owned import NameTaken, put, remove
from jobs.schedules.ticking import NotRun, run_by_hand

__all__ = [
    "NEVER",
    "CronRefused",
    "NameTaken",
    "NotRun",
    "check",
    "latest_tick",
    "next_ticks",
    "put",
    "remove",
    "run_by_hand",
    "schedule",
    "schedule_job",
]
