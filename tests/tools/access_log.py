"""Access logs as Caddy writes them."""

from __future__ import annotations

import json
from pathlib import Path


def write_log(log: Path, uri: str, lines: int) -> None:
    """Each line another listener, who takes the whole file."""
    with log.open("w") as stream:
        for n in range(lines):
            asked = {
                "method": "GET", "uri": uri, "remote_ip": f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}",
                "headers": {"User-Agent": [f"Overcast/{n % 300}"]},
            }  # fmt: skip
            record = {"ts": 1_780_000_000 + n / 10, "request": asked, "size": 300_000, "status": 200}
            stream.write(json.dumps(record) + "\n")
