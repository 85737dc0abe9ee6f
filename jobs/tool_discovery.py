"""Finds the programs on the tool path and asks each what it is: SYNOPS_TOOLS_PATH, then beside the interpreter, then PATH."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from synops.tools.describe import Description, InvalidDescription

DESCRIBE_TIMEOUT_SECONDS = 20
_NAME = re.compile(r"synops-[a-z0-9]+(-[a-z0-9]+)*")
_NOT_A_TOOL = frozenset({"synops-orchestrate"})  # a front to management commands, not a job's program


@dataclass(frozen=True)
class Tool:
    """A program that was found, and what it says about itself."""

    path: Path
    description: Description

    @property
    def name(self) -> str:
        """`synops-<verb>`."""
        return self.description.name

    @property
    def job_types(self) -> tuple[str, ...]:
        """The job types it serves."""
        return self.description.job_types or (self.description.job_type({}),)

    @property
    def preload_module(self) -> str | None:
        """The module that a slot may fork with instead of starting an interpreter; only for tools that ship with us."""
        if not self.description.preload or self.path.parent != Path(sys.executable).parent:
            return None
        return "synops.tools." + self.name.removeprefix("synops-").replace("-", "_")


@dataclass(frozen=True)
class Problem:
    """A program that can't be used, and why. `silent`: it gave no answer in time, and may when it is asked again."""

    path: Path
    reason: str
    silent: bool = False


@dataclass(frozen=True)
class Discovery:
    """The tools by name, and everything that was passed over."""

    tools: Mapping[str, Tool]
    problems: tuple[Problem, ...]

    def by_job_type(self) -> dict[str, Tool]:
        """The tool of each job type; the first by name where two claim one (`sync_tools` refuses that)."""
        found: dict[str, Tool] = {}
        for name in sorted(self.tools):
            for job_type in self.tools[name].job_types:
                found.setdefault(job_type, self.tools[name])
        return found


def search_path(environment: Mapping[str, str]) -> list[Path]:
    """The folders to look in, in order, each once."""
    named = [Path(folder) for folder in environment.get("SYNOPS_TOOLS_PATH", "").split(os.pathsep) if folder]
    on_path = [Path(folder) for folder in environment.get("PATH", "").split(os.pathsep) if folder]
    return list(dict.fromkeys([*named, Path(sys.executable).parent, *on_path]))


def executables(folders: Iterable[Path]) -> tuple[dict[str, Path], list[Problem]]:
    """The first executable of each name, and a problem for each that stands in another's shadow."""
    first: dict[str, Path] = {}
    shadowed = []
    for path in _candidates(folders):
        if path.name not in first:
            first[path.name] = path
        elif path.resolve() != first[path.name].resolve():
            shadowed.append(Problem(path, f"stands in the shadow of {first[path.name]}"))
    return first, shadowed


def _candidates(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        try:
            entries = sorted(folder.glob("synops-*"))
        except OSError:
            continue
        for path in entries:
            if (
                _NAME.fullmatch(path.name)
                and path.name not in _NOT_A_TOOL
                and path.is_file()
                and os.access(path, os.X_OK)
            ):
                yield path


def discover(environment: Mapping[str, str], known: Iterable[Tool] = ()) -> Discovery:
    """Find every tool and run its `--describe`; a tool that can't answer is a problem, never an exception.

    The tools that are `known` are not asked.
    """
    found, problems = executables(search_path(environment))
    answered = {tool.path: tool for tool in known}
    with ThreadPoolExecutor(max_workers=4) as pool:
        answers = list(pool.map(lambda path: answered.get(path) or ask(path), found.values()))
    tools = {answer.name: answer for answer in answers if isinstance(answer, Tool)}
    refused = [answer for answer in answers if isinstance(answer, Problem)]
    return Discovery(tools, tuple(problems + refused))


def ask(path: Path) -> Tool | Problem:
    """Run `PATH --describe` and read the answer."""
    try:
        answer = subprocess.run(
            [path, "--describe"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=DESCRIBE_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return Problem(path, f"--describe could not run: {error}", silent=True)
    except OSError as error:
        return Problem(path, f"--describe could not run: {error}")
    if answer.returncode != 0:
        last = answer.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return Problem(path, f"--describe ended with {answer.returncode}: {last[:300]}")
    try:
        description = Description.from_json(json.loads(answer.stdout))
    except (ValueError, InvalidDescription) as error:
        return Problem(path, f"--describe answered with something else than a description: {error}")
    if description.name != path.name:
        return Problem(path, f"describes itself as {description.name}")
    return Tool(path, description)
