"""The model client: chat completions and embeddings of any OpenAI-compatible server (docs/llm.md).

Ground floor: plain Python, no Django and no database. Callers give it the environment, it gives them an `Endpoint`,
and every call shares the slots of its machine, whichever program makes it.
"""

from __future__ import annotations
