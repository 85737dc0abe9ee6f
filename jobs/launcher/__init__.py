"""Running programs: the launcher, its slot processes and the asyncio client of the worker (docs/runner.md).

Nothing here imports Django, and this file imports nothing: the processes that fork must stay small.
"""

from __future__ import annotations
