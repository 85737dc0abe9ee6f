"""One request to the model server: in a slot, within its time, tried again when the failure may pass."""

from __future__ import annotations

import contextlib
import functools
import random
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx2

from synops.llm.endpoint import Endpoint
from synops.llm.failures import NotUsable, Unavailable
from synops.llm.slots import slot

LARGEST_ANSWER: Final = 32 * 1024 * 1024
LONGEST_EXCERPT: Final = 300
PASSING: Final = frozenset({408, 409, 425, 429, 529})
WHAT_TO_DO: Final = {
    401: "Check SYNOPS_LLM_API_KEY.",
    402: "The account has no credit left.",
    403: "Check SYNOPS_LLM_API_KEY and what it may use.",
    404: "Check SYNOPS_LLM_BASE_URL and the model's name.",
}

Answer = TypeVar("Answer")


def post(
    endpoint: Endpoint,
    path: str,
    body: Mapping[str, Any],
    read: Callable[[Iterator[bytes]], Answer],
    lane: str = "",
    file: Path | None = None,
) -> Answer:
    """Send `body` to `path` and return what `read` makes of the answer's bytes. Raises NotUsable, Unavailable.

    The body is JSON; with a `file` it is a form, which the file is part of.
    The slot is given back while waiting for the next attempt, and waiting for one costs no time of the call.
    """
    end = time.monotonic() + endpoint.total_seconds
    for attempt in count(1):
        try:
            with slot(endpoint, lane) as waited:
                end += waited
                return _once(endpoint, path, body, read, end, file)
        except Unavailable as failure:
            pause = _pause(endpoint, attempt, failure)
            if attempt >= endpoint.attempts or time.monotonic() + pause >= end:
                raise Unavailable(f"{failure} (tried {attempt}×)", failure.retry_after) from failure
            time.sleep(pause)
    raise AssertionError("count() does not end")


def _pause(endpoint: Endpoint, attempt: int, failure: Unavailable) -> float:
    if failure.retry_after is not None:
        return failure.retry_after
    # Jitter only adds: programs that were refused together must not come back together.
    return endpoint.backoff_seconds * 2.0 ** (attempt - 1) * random.uniform(1, 1.1)  # noqa: S311 no secret


def _once(
    endpoint: Endpoint,
    path: str,
    body: Mapping[str, Any],
    read: Callable[[Iterator[bytes]], Answer],
    end: float,
    file: Path | None,
) -> Answer:
    patience = min(endpoint.read_seconds, max(0.001, end - time.monotonic()))
    timeout = httpx2.Timeout(patience, connect=min(endpoint.connect_seconds, patience))
    try:
        with (
            # Redirects are not followed: the key is for this server alone.
            httpx2.Client(timeout=timeout, headers=_headers(endpoint), verify=_certificates(endpoint)) as client,
            _content(body, file) as content,
            client.stream("POST", endpoint.base_url + path, **content) as response,
        ):
            chunks = _chunks(endpoint, response, end)
            if response.status_code != httpx2.codes.OK:
                raise _refusal(endpoint, response, chunks)
            return read(chunks)
    except httpx2.TimeoutException as error:
        raise Unavailable(f"{endpoint.server} did not answer within {patience:g} s") from error
    except httpx2.HTTPError as error:
        raise Unavailable(
            f"{endpoint.server} can't be reached or broke off: {error or type(error).__name__}"
        ) from error


def _certificates(endpoint: Endpoint) -> ssl.SSLContext | bool:
    """What the server's certificate is checked with; without https there is none, and nothing to read."""
    return _trusted() if endpoint.base_url.startswith("https:") else False


@functools.cache
def _trusted() -> ssl.SSLContext:
    """Once a process: reading all certificates of the world takes 30 ms."""
    return httpx2.create_ssl_context()


@contextlib.contextmanager
def _content(body: Mapping[str, Any], file: Path | None) -> Iterator[dict[str, Any]]:
    if file is None:
        yield {"json": body}
        return
    with file.open("rb") as stream:
        yield {"data": body, "files": {"file": (file.name, stream)}}


def _headers(endpoint: Endpoint) -> dict[str, str]:
    # Answers come uncompressed, so that their size is known while they are read.
    headers = {"Accept-Encoding": "identity", "X-Title": "Synops"}
    return headers | ({"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {})


def _chunks(endpoint: Endpoint, response: httpx2.Response, end: float) -> Iterator[bytes]:
    """The answer's bytes as they come. The read timeout alone would let a server drip for ever, hence `end`."""
    size = 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if time.monotonic() > end:
            raise Unavailable(f"{endpoint.server} was not done within {endpoint.total_seconds:g} s")
        if size > LARGEST_ANSWER:
            raise Unavailable(f"{endpoint.server} answered with more than {LARGEST_ANSWER // 1024 // 1024} MB")
        yield chunk


def _refusal(endpoint: Endpoint, response: httpx2.Response, chunks: Iterator[bytes]) -> NotUsable | Unavailable:
    excerpt = _excerpt(endpoint, chunks)
    message = f"{endpoint.server} answered {response.status_code} {response.reason_phrase}: {excerpt}".rstrip(": ")
    return refusal(response.status_code, message, _retry_after(response.headers.get("retry-after", "")))


def refusal(status: int, message: str, retry_after: float | None = None) -> NotUsable | Unavailable:
    """The failure that a status means: 408, 429, 5xx and the like may pass, the others need a person."""
    if status in PASSING or status >= 500:
        return Unavailable(message, retry_after)
    return NotUsable(f"{message} {WHAT_TO_DO.get(status, '')}".rstrip(), status)


def _excerpt(endpoint: Endpoint, chunks: Iterator[bytes]) -> str:
    """The beginning of an error page, on one line and without the key."""
    found = b""
    for chunk in chunks:
        found += chunk
        if len(found) > 8 * LONGEST_EXCERPT:
            break
    # Masked before it is cut: half a key is still half a key.
    return " ".join(endpoint.masked(found.decode(errors="replace")).split())[:LONGEST_EXCERPT]


def _retry_after(text: str) -> float | None:
    """The seconds of a Retry-After header, which holds seconds or a date; None when it says nothing."""
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
