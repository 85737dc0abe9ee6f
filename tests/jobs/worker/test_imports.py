"""What a worker does not import: it would hold it in memory for as long as it runs."""

from __future__ import annotations

import subprocess
import sys

IMPORTED = """
import sys, django
django.setup()
import jobs.management.commands.runworker
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_a_worker_imports_no_web_server():
    said = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True, timeout=120)
    assert not {"twisted", "daphne", "autobahn"} & set(said.stdout.split())
