"""Schedules: when the clock enqueues what (docs/pipelines.md, the part on schedules)."""
