"""Every figure that `make bench` answers for, with its target. A row without a measurement is written as not run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """`limit` is in `unit`, or times the anchor when `relative`; `at_least` says on which side the good values lie."""

    area: str
    name: str
    unit: str
    limit: float
    at_least: bool = True
    relative: bool = False

    def met(self, value: float, anchor: float | None) -> bool | None:
        """Whether the value is good enough; None when there is nothing to compare it with."""
        if self.relative and not anchor:
            return None
        bound = self.limit * anchor if self.relative and anchor else self.limit
        return value >= bound if self.at_least else value <= bound

    def text(self) -> str:
        """The target as a person writes it."""
        sign = "≥" if self.at_least else "≤"
        return f"{sign} {self.limit:g}× anchor" if self.relative else f"{sign} {self.limit:g} {self.unit}"


def at_least(area: str, name: str, unit: str, limit: float) -> Target:
    return Target(area, name, unit, limit)


def at_most(area: str, name: str, unit: str, limit: float) -> Target:
    return Target(area, name, unit, limit, at_least=False)


def times(area: str, name: str, unit: str, limit: float) -> Target:
    return Target(area, name, unit, limit, relative=True)


TARGETS: tuple[Target, ...] = (
    times("queue", "inline jobs/s against pgqueuer at its best", "jobs/s", 1.0),
    times("queue", "inline jobs/s against the raw batch loop on our table", "jobs/s", 0.8),
    times("queue", "inline jobs/s against procrastinate", "jobs/s", 15),
    times("queue", "inline jobs/s against django-tasks-db", "jobs/s", 20),
    times("queue", "single enqueue/s against pgqueuer", "jobs/s", 1.0),
    times("queue", "bulk enqueue/s against graphile-worker", "jobs/s", 1.0),
    at_most("queue", "enqueue to handler start, idle, p50", "ms", 3),
    at_most("queue", "enqueue to handler start, idle, p99", "ms", 10),
    at_most("queue", "claim p50, worst case", "ms", 2),
    at_most("queue", "claim shared buffers, worst case", "buffers", 750),
    at_most("queue", "claim p50, worst over best case", "ratio", 1.5),
    at_most("queue", "claim under a held snapshot, 15,000 jobs later over the start", "ratio", 1.2),
    at_most("queue", "samples with a limit exceeded, 8 claimers, head inserts, 100,000 samples", "samples", 0),
    at_most("queue", "idle worker memory", "MB", 80),
    at_most("queue", "worker memory growth after 100,000 jobs", "MB", 5),
    times("queue", "CLI jobs/s end to end, exec, 2 slots, against bare Popen", "jobs/s", 0.9),
    times("queue", "CLI jobs/s end to end, fork server, against bare Popen", "jobs/s", 5),
    times("queue", "CLI jobs/s end to end, fork server with Django, against bare Popen", "jobs/s", 40),
    at_most("tools", "--describe of the slowest program", "ms", 100),
    at_most("tools", "--help of the slowest program", "ms", 100),
    at_most("admin", "admin SQL at 5M rows, page 1", "ms", 1),
    at_most("admin", "admin SQL at 5M rows, keyset page 1000", "ms", 1),
    at_most("admin", "admin SQL at 5M rows, status summary", "ms", 5),
    at_most("admin", "job list server time at 5M rows", "ms", 80),
    at_most("admin", "job list server time, 5M rows over 10k rows", "ratio", 1.2),
    at_most("admin", "status change to changed cell, 1,000 sockets, p50", "ms", 100),
    at_most("admin", "status change to changed cell, 1,000 sockets, p99", "ms", 300),
    at_most("admin", "memory per socket", "KB", 64),
    at_most("admin", "keystroke to marker in the browser, p95", "ms", 400),
    at_most("language", "seed recipe, whole compile", "ms", 2),
    at_most("language", "200 lines, whole compile", "ms", 60),
    at_most("language", "200 wrong lines, whole compile", "ms", 100),
    at_most("language", "64 KiB line, whole compile", "ms", 100),
    at_least("recipes", "events matched with 1,000 active recipes", "events/s", 2000),
    at_most("recipes", "a step over a bare job", "ms", 5),
    at_least("pipelines", "pipeline steps/s, inline", "steps/s", 1500),
    at_most("pipelines", "fan-in at 10,000 documents", "ms", 20),
    at_most("pipelines", "pipelines page queries at 5M step rows, the slowest page", "ms", 80),
)

AREAS = tuple(dict.fromkeys(target.area for target in TARGETS))
