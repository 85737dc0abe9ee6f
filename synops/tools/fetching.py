"""Fetches a web page for somebody we don't know, from somebody we don't know: every size and time has a limit.

The connection goes to an address that has been checked (synops.tools.addresses), at every redirect anew. One deadline
holds for the whole of it, so that a server that sends a byte a second gains nothing, and unpacking stops at the limit,
so that a small file that unpacks to 10 GB does not either.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

import httpcore2

from synops.tools.addresses import Resolve, permitted, resolve
from synops.tools.failures import BadInput, TryAgain

AGENT: Final = "Mozilla/5.0 (compatible; Synops-clip/0.1)"
REDIRECTS: Final = 5
HTML: Final = ("text/html", "application/xhtml+xml")
_PORTS: Final = {"http": 80, "https": 443}
_AGAIN: Final = frozenset({408, 425, 429, *range(500, 600)})
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Limits:
    """Seconds for one connection and for everything, and bytes of the page after unpacking."""

    connect_seconds: float = 10.0
    total_seconds: float = 30.0
    longest: int = 5_000_000


@dataclass(frozen=True)
class Fetched:
    """A page as it came: the address where it was found, its bytes, and the character set that the server names."""

    url: str
    body: bytes
    charset: str


def fetch(url: str, limits: Limits, allowed: Iterable[str] = (), ask: Resolve = resolve) -> Fetched:
    """The HTML page at an address. `allowed`: `host:port` of inside servers. Raises BadInput (65), TryAgain (75)."""
    end = time.monotonic() + limits.total_seconds
    network = _CheckedNetwork(limits, end, frozenset(allowed), ask)
    try:
        with httpcore2.ConnectionPool(network_backend=network, max_keepalive_connections=0) as pool:
            for _ in range(REDIRECTS + 1):
                found = _once(pool, checked(url), limits)
                if isinstance(found, Fetched):
                    return found
                url = found
    except (httpcore2.TimeoutException, TimeoutError) as error:
        raise TryAgain(f"{url} could not be fetched (no whole answer in {limits.total_seconds:g} seconds)") from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError) as error:
        raise TryAgain(f"{url} could not be fetched ({str(error) or type(error).__name__})") from error
    raise BadInput(f"{url} is refused: more than {REDIRECTS} redirects")


def checked(url: str) -> str:
    """The address, when it is one of the web; without its fragment. Raises BadInput."""
    try:
        parts = urlsplit(url)
        host, _ = _host(parts), parts.port
    except ValueError as error:
        raise BadInput(f"{url!r} is no web address ({error})") from error
    if parts.scheme not in _PORTS or not host or any(char <= " " or char == "\x7f" for char in url):
        raise BadInput(f"{url!r} is no web address (http:// or https://)")
    if parts.username is not None or parts.password is not None:
        raise BadInput(f"the address on {parts.hostname} is refused: it holds a user name or password")
    netloc = host if parts.port is None else f"{host}:{parts.port}"
    return urlunsplit((parts.scheme, netloc, _ascii(parts.path) or "/", _ascii(parts.query), ""))


def _host(parts: SplitResult) -> str:
    """The host as it goes over the wire: blåbær.no is xn--blbr-roah.no there."""
    name = parts.hostname or ""
    if ":" in name:
        return f"[{name}]"
    return name.encode("idna").decode() if name else ""


def _ascii(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="/%:;=&?,+$@!*'()~-._[]|")


def _once(pool: httpcore2.ConnectionPool, url: str, limits: Limits) -> Fetched | str:
    """The page, or the address that it has moved to."""
    headers = [("User-Agent", AGENT), ("Accept", ", ".join(HTML)), ("Accept-Encoding", "gzip, deflate")]
    timeouts = {"connect": limits.connect_seconds, "read": limits.total_seconds, "write": limits.total_seconds}
    with pool.stream("GET", url, headers=headers, extensions={"timeout": timeouts}) as response:
        told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        if response.status in _MOVED and "location" in told:
            return urljoin(url, told["location"])
        _check_status(url, response.status)
        kind, _, rest = told.get("content-type", "text/html").partition(";")
        if kind.strip().lower() not in HTML:
            raise BadInput(f"{url} is {kind.strip()}; only web pages (HTML) are clipped")
        body = _unpacked(url, told, response.iter_stream(), limits.longest)
        return Fetched(url, body, _charset(rest))


def _check_status(url: str, status: int) -> None:
    if status in _AGAIN:
        raise TryAgain(f"{url} answers {status} now")
    if not 200 <= status < 300:
        raise BadInput(f"{url} answers {status}; there is nothing to clip")


def _unpacked(url: str, told: dict[str, str], pieces: Iterator[bytes], longest: int) -> bytes:
    coding = told.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise BadInput(f"{url} is packed as {coding}, which was not asked for")
    announced = told.get("content-length", "")
    if announced.isdecimal() and int(announced) > longest:
        raise BadInput(f"{url} has {announced} bytes; at most {longest} are read of a page")
    # 32: the header decides between gzip and zlib.
    unpacker = None if coding in ("identity", "") else zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    body = bytearray()
    try:
        for piece in pieces:
            body += unpacker.decompress(piece, longest + 1 - len(body)) if unpacker else piece
            if len(body) > longest:
                raise BadInput(f"{url} is larger than {longest} bytes, which is all that is read of a page")
    except zlib.error as error:
        raise BadInput(f"{url} is packed in a way that can't be undone ({error})") from error
    return bytes(body)


def _charset(rest: str) -> str:
    for item in rest.split(";"):
        name, _, value = item.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""


class _CheckedNetwork(httpcore2.NetworkBackend):
    """Connects to checked addresses only, and lends out streams that all end at one deadline."""

    def __init__(self, limits: Limits, end: float, allowed: frozenset[str], ask: Resolve) -> None:
        self._limits = limits
        self._end = end
        self._allowed = allowed
        self._ask = ask
        self._plain = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """The host's first address that answers. TLS is agreed on later, and with the host's name."""
        failure: Exception = OSError("no address")
        for address in permitted(host, port, self._allowed, self._ask):
            seconds = _left(self._end, min(timeout or self._limits.connect_seconds, self._limits.connect_seconds))
            try:
                stream = self._plain.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _EndingStream(stream, self._end)
        raise failure

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        """There is none on the web."""
        raise OSError("a web page does not lie behind a socket file")


class _EndingStream(httpcore2.NetworkStream):
    """A stream whose every operation gets only the time that is left."""

    def __init__(self, stream: httpcore2.NetworkStream, end: float) -> None:
        self._stream = stream
        self._end = end

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Some bytes, or none at the end of the stream."""
        return self._stream.read(max_bytes, _left(self._end, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of the bytes."""
        self._stream.write(buffer, _left(self._end, timeout))

    def close(self) -> None:
        """The end of the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """The same stream, encrypted."""
        return _EndingStream(self._stream.start_tls(ssl_context, server_hostname, _left(self._end, timeout)), self._end)

    def get_extra_info(self, info: str) -> Any:
        """What the stream below knows of itself."""
        return self._stream.get_extra_info(info)


def _left(end: float, timeout: float | None) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("the time is used up")
    return left if timeout is None else min(timeout, left)
