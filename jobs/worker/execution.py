"""Runs one claimed job in a slot: checks the payload, builds the command and the environment, follows the output."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs import lookups
from jobs.launcher.client import LauncherClient
from jobs.launcher.wire import Limits, Reason, Report, Request
from jobs.queue import ClaimedJob, Ended, record_argv
from jobs.registries import registries
from jobs.scope import outside
from jobs.tool_discovery import Tool
from jobs.worker.attempt_log import AttemptLog
from jobs.worker.environment import program_environment
from jobs.worker.options import Options
from jobs.worker.verdict import verdict
from synops.store.sql import Cursor
from synops.tools.arguments import argv, job_problems, of_job_type


@dataclass(frozen=True)
class Surroundings:
    """What all runs of a worker share. `environ` is the worker's own environment, as a dict: os.environ decodes each value
    whenever it is asked."""

    launcher: LauncherClient
    options: Options
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def scratch(self) -> Path:
        """Where runs have their temporary files; each has a folder of its own that goes with it."""
        return self.options.var / "scratch"


def command(tool: Tool, job: ClaimedJob) -> list[str]:
    """The exact argv; `--write` is added here and nowhere else, for tools that write."""
    flags = argv(tool.description, of_job_type(tool.description, job.job_type, job.payload))
    return [str(tool.path), *flags, *(["--write"] if tool.description.database == "write" else [])]


def prepare(cursor: Cursor, tool: Tool, job: ClaimedJob) -> list[str] | Ended:
    """The command of a job, stored with its attempt; or how a job ends that can never run: with every problem said."""
    job = lookups.completed(cursor, tool.description, job)
    for question in registries.before_run:
        if (answer := question(cursor, job)) is not None:
            return answer
    problems = job_problems(tool.description, job.job_type, job.payload)
    if problems:
        return Ended(job, "failed", reason="payload_invalid", error="\n".join(problems), permanent=True)
    strangers = outside(cursor, tool.description, job.payload, job.collection_id, job.run_id)
    if strangers:
        return Ended(job, "failed", reason="outside_collection", error="\n".join(strangers), permanent=True)
    line = command(tool, job)
    record_argv(cursor, job, line)
    return line


def request(around: Surroundings, tool: Tool, job: ClaimedJob, line: Sequence[str]) -> Request:
    """What the slot is asked to run."""
    scratch = around.scratch / f"{job.id}-{job.lease}"
    environment = program_environment(
        job, tool.description, around.environ, around.options.settings, around.options.direct_url
    )
    return Request(
        argv=line,
        env=environment | {"TMPDIR": str(scratch)},
        cwd=str(scratch),
        scratch=str(scratch),
        timeout_seconds=job.limits.timeout_seconds,
        grace_seconds=around.options.grace_seconds,
        preload=tool.preload_module,
        limits=Limits(
            max_open_files=job.limits.max_open_files,
            max_cpu_seconds=job.limits.max_cpu_seconds,
            max_rss_mb=job.limits.max_rss_mb,
        ),
    )


async def run(
    around: Surroundings, slot: int, tool: Tool, job: ClaimedJob, line: Sequence[str], log: AttemptLog
) -> Ended | None:
    """Run the job in `slot`; how it ended, or None when it was stopped from outside before it could end by itself."""
    report = await around.launcher.run(
        slot,
        request(around, tool, job, line),
        on_output=lambda stream, data: log.feed(data) if stream == "stderr" else None,
    )
    log.end()
    return None if interrupted(report) else verdict(job, tool.description, report, log)


def interrupted(report: Report) -> bool:
    """Stopped by us, and it did not use the grace to finish its work."""
    return report.reason == Reason.CANCELLED and report.exit_code != 0
