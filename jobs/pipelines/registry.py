"""The pipelines of this process: apps register theirs in `AppConfig.ready()`, the engine finds them by name or job type."""

from __future__ import annotations

from dataclasses import asdict

from jobs.pipelines.declaration import Misdeclared, Pipeline, Rule

_pipelines: dict[str, Pipeline] = {}


def register(pipeline: Pipeline) -> None:
    """Register a pipeline; its inline steps become job types that run inside the worker.

    Raises Misdeclared when the name, or one of its job types, is another pipeline's.
    """
    from jobs.pipelines.inline import register_steps

    if pipeline.name in _pipelines:
        raise Misdeclared(f"there are two pipelines named {pipeline.name}")
    if taken := job_types(pipeline) & all_job_types():
        raise Misdeclared(f"pipeline {pipeline.name}: {', '.join(sorted(taken))} belongs to another pipeline")
    _pipelines[pipeline.name] = pipeline
    register_steps(pipeline)


def forget(name: str) -> None:
    """Unregister a pipeline, for a test that made one."""
    from jobs.registries import registries

    for job_type in job_types(_pipelines.pop(name)):
        registries.inline.pop(job_type, None)


def pipeline(name: str) -> Pipeline | None:
    """The pipeline of that name; None when this process has none, as after its code was removed."""
    return _pipelines.get(name)


def pipelines() -> list[Pipeline]:
    """All pipelines, in the order of registration."""
    return list(_pipelines.values())


def job_types(one: Pipeline) -> set[str]:
    """The job types of a pipeline's steps."""
    return {job_type for step in one.steps for job_type in step.rules}


def all_job_types() -> set[str]:
    """The job types of all pipelines."""
    return {job_type for one in pipelines() for job_type in job_types(one)}


def seed_values() -> dict[str, dict[str, int]]:
    """The priority rule that each job type begins with."""
    rules: dict[str, Rule] = {}
    for one in pipelines():
        for step in one.steps:
            rules |= step.rules
    return {job_type: asdict(rule) for job_type, rule in rules.items()}
