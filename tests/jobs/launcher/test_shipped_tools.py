"""Every shipped tool that asks to be preloaded can be, and says the same then."""

from __future__ import annotations

import asyncio
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

import synops.tools
from jobs.launcher.client import LauncherClient
from jobs.launcher.environment import basics
from jobs.launcher.wire import Report, Request
from synops.store.files import FileStore


def preloadable() -> dict[str, str]:
    """Program name → module, for the tools that describe themselves with `preload`."""
    modules = [
        importlib.import_module(f"synops.tools.{found.name}") for found in pkgutil.iter_modules(synops.tools.__path__)
    ]
    described = {module.__name__: getattr(module, "DESCRIPTION", None) for module in modules}
    return {description.name: name for name, description in described.items() if description and description.preload}


@pytest.mark.asyncio
async def test_shipped_tools_can_be_preloaded_and_say_the_same():
    tools = preloadable()
    assert "synops-checksum" in tools
    client = LauncherClient.start(1, preload=list(tools.values()))
    try:
        while not (client.refused or (await run(client, "synops-checksum", tools["synops-checksum"])).preloaded):
            await asyncio.sleep(0.1)
        assert client.refused == {}
        for name, module in tools.items():
            preloaded = await run(client, name, module)
            executed = await run(client, name, None)
            assert (preloaded.preloaded, executed.preloaded) == (True, False)
            assert (preloaded.exit_code, preloaded.stdout) == (executed.exit_code, executed.stdout)
    finally:
        client.close()


WORK = """
import sys
from jobs.launcher.preload import _warm_up
command = ["synops-checksum", *sys.argv[1:]]
main = _warm_up("synops.tools.checksum")
before = set(sys.modules)
sys.argv = command
code = main()
print(code, *sorted(set(sys.modules) - before))
"""


def test_the_work_of_a_preloaded_tool_imports_nothing_more(tmp_path: Path):
    job = {f"SYNOPS_{name}": str(uuid4()) for name in ("JOB_ID", "WORKER_ID", "COLLECTION_ID")}
    environment = basics(os.environ) | job | {"SYNOPS_LEASE": "1", "STORE_DIR": str(tmp_path)}
    digest = FileStore(tmp_path).put_bytes(b"a small file").digest
    done = subprocess.run(
        [sys.executable, "-c", WORK, f"--cas-hash={digest}"], env=environment, capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == "0", done  # a tool's print goes there; after the code come the modules


async def run(client: LauncherClient, name: str, module: str | None) -> Report:
    path = Path(sys.executable).with_name(name)
    return await client.run(0, Request(argv=[str(path), "--help"], env=basics(os.environ), preload=module))
