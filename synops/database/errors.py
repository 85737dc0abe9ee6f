"""The one error of the embedded server: a sentence that a person can act on."""

from __future__ import annotations


class DatabaseUnavailable(RuntimeError):
    """No usable database. The message says what happened, where, and what to do; it needs no traceback."""
