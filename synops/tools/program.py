"""The shared part of every tool: `run` answers `--describe`, `--help` and `--version`, or does the work.

    DESCRIPTION = Description(name="synops-checksum", …)
    def work(call: Call) -> JSON: …
    def main() -> int: return run(DESCRIPTION, work)

`main` takes its flags from `sys.argv`, so that a launcher may import the module once, fork, and call it.
Imports are late on purpose, here and in the tools: a question about a tool is answered in less than 100 ms.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description

if TYPE_CHECKING:
    from synops.tools.call import Call


def run(description: Description, work: Callable[[Call], Any]) -> int:
    """Run the tool with the flags in `sys.argv` and return its exit code."""
    arguments = sys.argv[1:]
    answer = _answer(description, arguments)
    if answer is None:
        from synops.tools.running import perform

        return perform(description, work, arguments)
    say(answer)
    return 0


def say(text: str) -> None:
    """Print an answer as a filter would: quietly dead of SIGPIPE when nobody reads."""
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        die_of(signal.SIGPIPE)


def die_of(signum: int) -> None:
    """End this process by the signal itself, so that the parent sees the truth."""
    signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)


def _answer(description: Description, arguments: list[str]) -> str | None:
    if "--describe" in arguments:
        import json

        return json.dumps(description.to_json(), ensure_ascii=False, indent=2)
    if "--help" in arguments or "-h" in arguments:
        from synops.tools.usage import usage

        return usage(description)
    return f"{description.name} {description.version}" if "--version" in arguments else None
