"""One chat completion: messages in, text out, with what it cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from synops.llm.endpoint import DEFAULT_TIER, Endpoint
from synops.llm.events import documents
from synops.llm.failures import NotUsable, Unavailable
from synops.llm.transport import post, refusal
from synops.llm.usage import Usage, usage_of

Message: TypeAlias = Mapping[str, str]
"""{"role": "system" | "user" | "assistant", "content": …}"""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. `model` is the one that the server says answered; `cut` = it ran into the length limit."""

    text: str
    model: str
    cut: bool
    usage: Usage


def complete(
    endpoint: Endpoint,
    messages: Sequence[Message],
    *,
    tier: int = DEFAULT_TIER,
    model: str = "",
    temperature: float = 0,
    max_tokens: int | None = None,
    response_format: Mapping[str, Any] | None = None,
    on_text: Callable[[str], None] | None = None,
    lane: str = "",
) -> Reply:
    """Ask a model and wait for its whole answer; `on_text` is told all text so far as it grows.

    `model` names one that is no tier's; `lane="pipeline"` counts against the pipelines' slots too. Raises NotUsable, Unavailable.
    """
    body: dict[str, Any] = {
        "model": model or endpoint.model(tier),
        "messages": [dict(message) for message in messages],
        "temperature": temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if max_tokens:
        body["max_tokens"] = max_tokens
    if response_format:
        body["response_format"] = dict(response_format)

    def read(chunks: Iterator[bytes]) -> Reply:
        return _Reading(endpoint, body["model"], on_text).read(chunks)

    return post(endpoint, "/chat/completions", body, read, lane)


class _Reading:
    """Puts the pieces of one answer together."""

    def __init__(self, endpoint: Endpoint, model: str, on_text: Callable[[str], None] | None) -> None:
        self.endpoint = endpoint
        self.model = model
        self.on_text = on_text
        self.text = ""
        self.ended = ""
        self.usage = usage_of(None)

    def read(self, chunks: Iterator[bytes]) -> Reply:
        for document in documents(chunks):
            self._take(document)
        if not self.ended:
            raise Unavailable(f"{self.endpoint.server} broke off in the middle of the answer")
        if not self.text.strip():
            raise Unavailable(f"{self.model} on {self.endpoint.server} gave an empty answer ({self.ended})")
        return Reply(self.text, self.model, self.ended == "length", self.usage)

    def _take(self, document: Any) -> None:
        if not isinstance(document, dict):
            raise Unavailable(f"{self.endpoint.server} sent {type(document).__name__} where an object belongs")
        if document.get("error"):
            raise self._refusal(document["error"])
        if isinstance(document.get("model"), str):
            self.model = document["model"] or self.model
        if document.get("usage"):
            self.usage = usage_of(document["usage"])
        choices = document.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._take_choice(choices[0])

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        piece = choice.get("delta") or choice.get("message")
        content = piece.get("content") if isinstance(piece, dict) else None
        if isinstance(content, str) and content:
            self.text += content
            if self.on_text:
                self.on_text(self.text)
        # Not all servers end with [DONE], but all say why they ended.
        self.ended = str(choice.get("finish_reason") or self.ended)

    def _refusal(self, error: Any) -> NotUsable | Unavailable:
        """An error that comes inside a stream, when the status was sent long ago (OpenRouter does this)."""
        said = error if isinstance(error, dict) else {"message": str(error)}
        message = self.endpoint.masked(str(said.get("message", "")))[:300]
        code = said.get("code")
        return refusal(code if isinstance(code, int) else 502, f"{self.endpoint.server} ended the answer: {message}")
