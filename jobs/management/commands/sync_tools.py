"""`manage.py sync_tools`: finds the programs on the tool path and stores what they describe."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection, transaction

from jobs import tool_nodes
from jobs.registries import registries
from jobs.tool_discovery import discover


class Command(BaseCommand):
    """Discovers, stores, and tells those who registered for changes."""

    help = "Store what the tools on the path describe as cli_tool nodes."

    def handle(self, *args: Any, **options: Any) -> None:
        discovery = discover(os.environ)
        with transaction.atomic(), connection.cursor() as cursor:
            synced = tool_nodes.sync(cursor, discovery)
        for listener in registries.on_tools_changed:
            listener()
        for problem in synced.problems:
            self.stderr.write(f"{problem.path} is not used: it {problem.reason}")
        self.stdout.write(
            f"{len(discovery.tools)} tools: {len(synced.added)} new, {len(synced.changed)} changed, "
            f"{len(synced.removed)} gone"
        )
