"""What a handler does in the peers' command-line rows: runs the program, reads its JSON, and stamps the end."""

from __future__ import annotations

import asyncio
import json
import os
import time

from stamps import stamp

AT_ONCE = 2


async def run_program() -> object:
    """The program of BENCH_ARGV, once."""
    process = await asyncio.create_subprocess_exec(
        *json.loads(os.environ["BENCH_ARGV"]),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await process.communicate()
    stamp(time.time())
    return json.loads(out)
