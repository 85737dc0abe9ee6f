"""How a call of a model fails: by configuration (a person must act), in passing (try later), or by what it answered."""

from __future__ import annotations


class ModelFailure(Exception):
    """A model gave no usable answer; the message says which server and model, what happened, and what to do."""


class NotUsable(ModelFailure):
    """Settings are wrong, or the server refuses: key, credit, model name, request. Trying again changes nothing."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Unavailable(ModelFailure):
    """The server is down, slow, overloaded or broken off. `retry_after` is what it asked for, in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BadAnswer(ModelFailure):
    """The model answered, and after all rounds still not in the form that was asked for."""
