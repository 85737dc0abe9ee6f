"""The template: modules that the launcher has imported, so that a fork runs them without starting an interpreter."""

from __future__ import annotations

from collections.abc import Callable

from jobs.launcher.wire import Request


class Template:
    """What is preloaded."""

    stale = False

    def main_for(self, request: Request) -> Callable[[], object] | None:
        """The `main` to call instead of executing argv[0]; None when it must be executed."""
        return None
