"""From the report of a run to how the attempt ended: the tool contract's stdout, exit codes and signals, in one place."""

from __future__ import annotations

import json
from typing import Any

from jobs.launcher.wire import Reason, Report
from jobs.queue import ClaimedJob, Ended
from jobs.worker.attempt_log import AttemptLog
from synops.tools.describe import Description

# sysexits that mean something; only for tools that declare `exit_codes: sysexits`, because any other program may
# end with 65 for reasons of its own.
PERMANENT = frozenset({64, 65, 66, 78})
TRANSIENT = frozenset({69, 75})
EXCLUDED = 77

MAX_ERROR_CHARACTERS = 4000


class NotAResult(ValueError):
    """stdout that is no result; the text is the reason's code."""


def verdict(job: ClaimedJob, description: Description, report: Report, log: AttemptLog) -> Ended:
    """How the attempt ended. Never raises: whatever a program does is an answer."""
    common = _measurements(report, log)
    declared = description.exit_codes == "sysexits"
    code = report.exit_code
    if report.reason in (Reason.EXITED, Reason.CANCELLED) and code == 0:
        return _with_result(job, report, common)
    if report.reason == Reason.EXITED and declared and code == EXCLUDED:
        return Ended(
            job, "excluded", reason="excluded", error=_last_words(log), result=_result_or_none(report), **common
        )
    if report.reason == Reason.TIMED_OUT:
        return Ended(job, "timed_out", reason="timed_out", error=_last_words(log), **common)
    if report.reason == Reason.LOST:
        return Ended(job, "lost", reason="slot_lost", error=report.error, transient=True, **common)
    return Ended(
        job,
        "failed",
        reason=_reason(report),
        error=_last_words(log) or report.error or None,
        permanent=report.reason == Reason.EXITED and declared and code in PERMANENT,
        transient=report.reason == Reason.EXITED and declared and code in TRANSIENT,
        **common,
    )


def _with_result(job: ClaimedJob, report: Report, common: dict[str, Any]) -> Ended:
    try:
        return Ended(job, "succeeded", result=read_result(report), **common)
    except NotAResult as problem:
        return Ended(job, "failed", reason=str(problem), error=_excerpt(report.stdout), **common)


def _result_or_none(report: Report) -> Any:
    try:
        return read_result(report)
    except NotAResult:
        return None


def read_result(report: Report) -> Any:
    """The one JSON document on stdout; empty = null. Raises NotAResult."""
    if report.stdout_overflow:
        raise NotAResult("result_too_large")
    if not report.stdout.strip():
        return None
    try:
        return json.loads(report.stdout.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise NotAResult("result_not_json") from error


def _reason(report: Report) -> str:
    if report.reason != Reason.EXITED:
        return str(report.reason)
    if report.out_of_memory:
        return "out_of_memory"
    if report.signal is not None:
        return "signal"
    return "exit_code"


def _measurements(report: Report, log: AttemptLog) -> dict[str, Any]:
    return {
        "exit_code": report.exit_code,
        "signal": report.signal,
        "killed": report.killed,
        "cpu_seconds": report.cpu_seconds,
        "max_rss_kb": report.max_rss_kb,
        "log_dropped_bytes": log.dropped_bytes,
        "progress": log.progress,
        "message": log.message,
    }


def _last_words(log: AttemptLog) -> str | None:
    text = "\n".join(log.last_lines)[-MAX_ERROR_CHARACTERS:]
    return text or log.error_record


def _excerpt(stdout: bytes) -> str:
    return stdout[:MAX_ERROR_CHARACTERS].decode("utf-8", errors="replace")
