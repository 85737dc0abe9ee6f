"""docs/tools.md, written from what the tools say about themselves: `python -m synops.tools.page > docs/tools.md`."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Mapping

import synops.tools
from synops.store.locations import PROJECT
from synops.tools.describe import Description, Param

MEASURED = PROJECT / "docs" / "tools-measured.json"
HEAD = """# The tools

Written by `python -m synops.tools.page` from each tool's `--describe`; don't edit it. How a tool works, and how to write
one, is in [tool-contract.md](tool-contract.md). Every tool also takes `--payload-json`, `--help`, `--version` and
`--describe`, and those that write take `--write`.
"""


def shipped() -> list[Description]:
    """The descriptions of all programs in this package, by name."""
    names = [module.name for module in pkgutil.iter_modules(synops.tools.__path__)]
    modules = [importlib.import_module(f"synops.tools.{name}") for name in names if name != "page"]
    return sorted(
        (module.DESCRIPTION for module in modules if hasattr(module, "DESCRIPTION")), key=lambda one: one.name
    )


def page() -> str:
    """The whole page."""
    tools = shipped()
    rows = [
        f"| [{tool.name}](#{tool.name}) | {', '.join(tool.job_types)} | {_text(tool.description)} |" for tool in tools
    ]
    index = "\n".join(["| program | job types | what it does |", "|---|---|---|", *rows])
    return "\n".join([HEAD, index, "", *_measured(), *(_section(tool) for tool in tools)])


def _measured() -> list[str]:
    """What `make bench AREA=tools` has found; nothing before the first measurement."""
    if not MEASURED.is_file():
        return []
    found = json.loads(MEASURED.read_text(encoding="utf-8"))
    rows = [
        f"| {row['tool']} | {row['what']} | {row['seconds']:g} | {row['megabytes']} | {row['quality']} |"
        for row in found["rows"]
    ]
    intro = (
        f"`make bench AREA=tools` runs each once as a process, its start included, on {found['machine']}. "
        "Memory is the peak of what is resident. Without a language model; with one, time and quality are the model's."
    )
    head = ["| program | work | seconds | MB | quality |", "|---|---|---|---|---|"]
    return ["## What they cost", "", intro, "", *head, *rows, ""]


def _section(tool: Description) -> str:
    facts = [
        f"job types {', '.join(f'`{kind}`' for kind in tool.job_types)}",
        f"database {tool.database}",
        f"weight {tool.weight}",
        f"timeout {tool.timeout} s",
        *(["needs the network"] if tool.network else []),
        *([f"settings {', '.join(f'`{name}`' for name in tool.settings)}"] if tool.settings else []),
    ]
    params = "\n".join(["| flag | type | meaning |", "|---|---|---|", *(_row(param) for param in tool.params)])
    outputs = ", ".join(f"`{name}` ({kind})" for name, kind in tool.outputs.items())
    aliases = dict.fromkeys(word for some in tool.aliases.values() for word in some)
    words = ", ".join(f"*{word}*" for word in aliases)
    examples = "\n".join(["```sh", *tool.examples, "```"])
    parts = (
        f"## {tool.name}", _text(tool.description), "; ".join(facts) + ".", params,
        f"Result: {outputs}.", f"In recipes: {words}.", examples,
    )  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _row(param: Param) -> str:
    notes = [
        *(["required"] if param.required else []),
        *([f"one of {', '.join(f'`{value}`' for value in param.enum)}"] if param.enum and not param.enum_open else []),
        *([f"such as {', '.join(f'`{value}`' for value in param.enum)}"] if param.enum and param.enum_open else []),
        *([f"default `{param.default}`"] if param.default is not None else []),
        *(["by hand only"] if param.by_hand else []),
    ]
    meaning = _text(param.description) + (f" ({'; '.join(notes)})" if notes else "")
    return f"| `{param.flag}` | {param.type} | {meaning} |"


def _text(text: Mapping[str, str]) -> str:
    return text.get("en", "").replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page())
