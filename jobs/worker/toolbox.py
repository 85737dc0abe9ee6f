"""The tools of this machine as the worker knows them, asked again when a program on the path has changed.

One that did not answer in time is asked again by itself: on a machine that stands still for a while it may be the only
one that serves a job type, whose jobs would wait until somebody restarts the worker.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from jobs.registries import Registries
from jobs.tool_discovery import Discovery, Problem, Tool, discover, executables, search_path

logger = logging.getLogger(__name__)

Fingerprint = tuple[tuple[str, int, int], ...]


def fingerprint(environment: Mapping[str, str]) -> Fingerprint:
    """Path, time and size of every program on the path: another one = something was added, changed or removed."""
    found, _ = executables(search_path(environment))
    return tuple(sorted(_stamp(path) for path in found.values()))


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), status.st_mtime_ns, status.st_size


class Toolbox:
    """Which job types this worker can run, and with what."""

    def __init__(self, registries: Registries, only: tuple[str, ...] | None) -> None:
        self._registries = registries
        self._only = None if only is None else frozenset(only)
        self._fingerprint: Fingerprint | None = None
        self._tools: dict[str, Tool] = {}
        self._problems: tuple[Problem, ...] = ()

    async def refresh(self) -> bool:
        """Discover anew when something on the path has changed, ask those again that were silent; whether either told
        something new."""
        current = await asyncio.to_thread(fingerprint, os.environ)
        changed = current != self._fingerprint
        if not changed and not any(problem.silent for problem in self._problems):
            return False
        known = () if changed else tuple(self._tools.values())
        discovery = await asyncio.to_thread(discover, os.environ, known)
        self._report(discovery)
        before, self._tools = self._tools, discovery.by_job_type()
        self._fingerprint = current
        return changed or self._tools != before

    def _report(self, discovery: Discovery) -> None:
        for problem in discovery.problems:
            if problem not in self._problems:
                logger.warning("%s is not used: it %s", problem.path, problem.reason)
        self._problems = discovery.problems

    def types(self) -> list[str]:
        """All job types that this worker can run, sorted."""
        return sorted({*self.tool_types(), *self.inline_types()})

    def tool_types(self) -> list[str]:
        """Those that are programs. A type that is registered inline is never run as one."""
        return self._wanted(set(self._tools) - set(self._registries.inline))

    def inline_types(self) -> list[str]:
        """Those that run inside the worker."""
        return self._wanted(set(self._registries.inline))

    def preload_modules(self) -> list[str]:
        """The modules of shipped tools that a slot may fork with, sorted."""
        modules = (self._tools[job_type].preload_module for job_type in self.tool_types())
        return sorted({module for module in modules if module})

    def _wanted(self, types: set[str]) -> list[str]:
        return sorted(types if self._only is None else types & self._only)

    def tool(self, job_type: str) -> Tool | None:
        """The program of a job type."""
        return self._tools.get(job_type)
