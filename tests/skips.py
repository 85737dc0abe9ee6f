"""pytest plugin: counts for the closing line of `make test`, and skips as failures where nothing may be missing.

Root can install what a test needs, and so can CI; there a skipped test is a hole that nobody would see.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

COUNTS_FILE = "SYNOPS_TEST_COUNTS"


def may_skip() -> bool:
    return os.geteuid() != 0 and os.environ.get("CI", "").lower() not in ("true", "1")


class Skips:
    """Knows how many tests ended how."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def counts(self) -> dict[str, int]:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        stats = reporter.stats if reporter else {}
        return {kind: len(stats.get(kind, ())) for kind in ("passed", "failed", "error", "skipped")}

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        counts = self.counts()
        if counts["skipped"] and not may_skip() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if path := os.environ.get(COUNTS_FILE):
            Path(path).write_text(json.dumps(counts))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        skipped = self.counts()["skipped"]
        if skipped and not may_skip():
            terminalreporter.write_line(f"{skipped} skipped; as root and in CI a skip is a failure.", red=True)


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # one of several processes of pytest-xdist: the one that leads them counts
        return
    config.pluginmanager.register(Skips(config), "synops-skips")
