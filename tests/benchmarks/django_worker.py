"""`manage.py` whose worker also preloads the Django tool of the benchmark; otherwise only our own tools are preloaded."""

from __future__ import annotations

import sys

from jobs.tool_discovery import Tool
from synops.command_line import main

NAME, MODULE = "synops-bench-django", "tests.benchmarks.django_tool"


def preload_module(tool: Tool) -> str | None:
    return MODULE if tool.name == NAME else None


if __name__ == "__main__":
    Tool.preload_module = property(preload_module)  # type: ignore[assignment,method-assign]
    main(sys.argv)
