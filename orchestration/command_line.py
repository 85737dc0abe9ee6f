"""`synops-orchestrate`: recipes from a shell, over the management commands. No tool of recipes; discovery passes it over."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

COMMANDS = {
    "compile": "compile_orchestration",
    "draft": "draft_orchestration",
    "files": "recipe_files",
    "run": "run_orchestration",
    "language-server": "recipe_language_server",
}
USAGE = f"""usage: synops-orchestrate {{{",".join(COMMANDS)}}} …
       synops-orchestrate --generate-system-prompt [--effort N]

Each has --help. The same as manage.py {", ".join(COMMANDS.values())}.
"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the management command that the first word names."""
    given = list(sys.argv[1:] if argv is None else argv)
    command, rest = _command(given)
    if command is None:
        asked = given[:1] in (["--help"], ["-h"])
        (sys.stdout if asked else sys.stderr).write(USAGE)
        sys.exit(0 if asked else 2)
    from synops.command_line import main as manage

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synops.settings")
    manage(["synops-orchestrate", command, *rest])


def _command(given: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    if "--generate-system-prompt" in given[:1]:
        return COMMANDS["draft"], given
    return COMMANDS.get(given[0]) if given else None, given[1:]
