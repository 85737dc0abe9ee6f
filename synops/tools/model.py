"""A tool's way to the language model: the endpoint of its settings, and failures as exit codes.

What is misconfigured or refused is 78: three attempts would meet the same refusal. What is down, slow, overloaded or
answers nonsense is 75: the next attempt may find it well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from synops.llm.failures import ModelFailure, NotUsable
from synops.tools.call import Call
from synops.tools.failures import NotConfigured, TryAgain

if TYPE_CHECKING:
    from synops.llm.chat import Message, Reply
    from synops.llm.endpoint import Endpoint
    from synops.llm.structured import Data


def endpoint(call: Call) -> Endpoint | None:
    """The configured model server, or None where there is none. Raises NotConfigured when the settings are wrong."""
    from synops.llm.endpoint import endpoint_of

    with failures_as_exit_codes():
        return endpoint_of(call.environ)


def answer(call: Call, place: Endpoint, messages: Sequence[Message], **options: Any) -> Reply:
    """The model's text (`synops.llm.chat.complete`), with progress while it writes."""
    from synops.llm.chat import complete

    call.progress(0.3, "asking the model")
    with failures_as_exit_codes():
        return complete(place, messages, on_text=_told(call), **options)


def data(call: Call, place: Endpoint, messages: Sequence[Message], schema: Mapping[str, Any], **options: Any) -> Data:
    """The model's answer as data (`synops.llm.structured.ask`), with progress while it writes."""
    from synops.llm.structured import ask

    call.progress(0.3, "asking the model")
    with failures_as_exit_codes():
        return ask(place, messages, schema, on_text=_told(call), **options)


@contextlib.contextmanager
def failures_as_exit_codes() -> Iterator[None]:
    """Turn the client's failures into the tool's."""
    try:
        yield
    except NotUsable as failure:
        raise NotConfigured(str(failure)) from failure
    except ModelFailure as failure:
        raise TryAgain(str(failure)) from failure


def _told(call: Call) -> Callable[[str], None]:
    """Progress once for every thousand letters: nobody knows how many there will be."""
    told = 0

    def on_text(text: str) -> None:
        nonlocal told
        if len(text) - told >= 1000:
            told = len(text)
            call.progress(None, f"the model has written {told} characters")

    return on_text
