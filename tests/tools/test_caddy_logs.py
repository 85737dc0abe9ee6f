"""synops-stats on what a real Caddy writes."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from django.db import connection

from synops.demo.data import DemoNodes, demo_id
from synops.store.nodes import update_node
from tests.deadline import wait_until
from tests.tools.conftest import Workshop
from tests.tools.test_counting import PLAYER
from tests.tools.test_stats import stats, total


def answers(address: str) -> bool:
    host, port = address.split(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 1):
        return True
    return False


@pytest.fixture
def caddy(database_workshop: Workshop, episode: str) -> Iterator[str]:
    """Debian's Caddy on this machine, serving the published folder; gives its address."""
    if not Path("/usr/bin/caddy").exists():
        pytest.skip("needs the Debian package caddy")
    root, logs = database_workshop.root, database_workshop.root / "logs"
    published = root / "var" / "public" / episode.removeprefix("/public/")
    published.parent.mkdir(parents=True)
    published.write_bytes(bytes(10_000))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    config = {
        "admin": {"disabled": True},
        "logging": {
            "logs": {
                "default": {"exclude": ["http.log.access"]},
                "access": {
                    "writer": {"output": "file", "filename": str(logs / "access.log")},
                    "encoder": {"format": "json"},
                    "include": ["http.log.access"],
                },
            }
        },
        "apps": {
            "http": {
                "servers": {
                    "files": {
                        "listen": [address],
                        "logs": {},
                        "automatic_https": {"disable": True},
                        "routes": [{"handle": [{"handler": "file_server", "root": str(root / "var")}]}],
                    }
                }
            }
        },
    }
    (root / "caddy.json").write_text(json.dumps(config))
    process = subprocess.Popen(
        ["/usr/bin/caddy", "run", "--config", str(root / "caddy.json")],
        env={**os.environ, "HOME": str(root), "XDG_DATA_HOME": str(root), "XDG_CONFIG_HOME": str(root)},
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: answers(address), 60)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def test_the_logs_of_a_real_caddy(database_workshop: Workshop, demo: DemoNodes, episode: str, caddy: str) -> None:
    with connection.cursor() as cur:
        update_node(cur, demo_id("sound"), metadata={"duration_seconds": 600})
    with httpx2.Client(base_url=f"http://{caddy}") as client:

        def ask(method: str = "GET", agent: str = PLAYER, **headers: str) -> int:
            told = {"User-Agent": agent, **{name.replace("_", "-"): value for name, value in headers.items()}}
            return client.request(method, episode, headers=told).status_code

        assert ask(Range="bytes=0-1") == 206
        assert ask(Range="bytes=0-499") == 206
        assert ask(Range="bytes=200-699") == 206
        assert ask("HEAD") == 200
        assert ask(If_None_Match=client.head(episode).headers["etag"]) == 304
        assert ask(agent="Googlebot/2.1") == 200
        assert ask(agent="atc/1.0 watchOS/10.1") == 200
        logs = database_workshop.root / "logs"
        wait_until(lambda: (logs / "access.log").exists() and (logs / "access.log").read_bytes().count(b"\n") == 8, 60)
        half = stats(database_workshop, "--write").result
        assert (half["downloads"], half["requests"], half["damaged_lines"]) == (0, 8, 0)
        assert half["excluded"] == {"not_get": 2, "not_sent": 1, "probe": 1, "robot": 1, "watch_doublet": 1}
        assert ask(Range="bytes=700-") == 206
        wait_until(lambda: (logs / "access.log").read_bytes().count(b"\n") == 9, 60)
    assert stats(database_workshop, "--write").result["apps"] == {"Overcast": 1}
    assert total() == 1
