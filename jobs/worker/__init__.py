"""The worker: claims jobs, runs them in slots, records how they ended. One asyncio program (docs/architecture.md)."""
