"""How a tool fails: one exception for each exit code of sysexits that the contract uses, with a sentence for a person.

Permanent (the queue does not retry): 64, 65, 66, 78. Transient (it does): 69, 75. Everything unforeseen is 70.
"""

from __future__ import annotations

from typing import Final

OK: Final = 0
USAGE: Final = 64
DATA: Final = 65
NO_INPUT: Final = 66
UNAVAILABLE: Final = 69
SOFTWARE: Final = 70
CANNOT_WRITE: Final = 74
TRY_AGAIN: Final = 75
EXCLUDED: Final = 77
CONFIG: Final = 78


class ToolFailure(Exception):
    """Ends the tool with `exit_code`; the message says what happened, where, and what to do."""

    exit_code = SOFTWARE


class BadUsage(ToolFailure):
    """The call itself is wrong: an unknown flag, a missing param, a value of the wrong type."""

    exit_code = USAGE


class BadInput(ToolFailure):
    """The input is there and can't be used: damaged, encrypted, of the wrong type, refused."""

    exit_code = DATA


class NoInput(ToolFailure):
    """What the call names does not exist."""

    exit_code = NO_INPUT


class Unavailable(ToolFailure):
    """Something that the tool needs does not answer now."""

    exit_code = UNAVAILABLE


class TryAgain(ToolFailure):
    """It went wrong in a way that may be gone next time: a lock, a full disk, a lost job."""

    exit_code = TRY_AGAIN


class NotConfigured(ToolFailure):
    """A setting, a model or a program is missing; trying again changes nothing until a person acts."""

    exit_code = CONFIG
