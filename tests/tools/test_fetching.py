"""Fetching from strangers: which addresses are refused, and that no answer takes more time or memory than it may."""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Iterator

import pytest

from synops.tools.addresses import is_public, permitted
from synops.tools.failures import BadInput, ToolFailure, TryAgain
from synops.tools.fetching import Limits, checked, fetch
from tests.tools.strange_server import Answer, StrangeServer, response, strange_server

PAGE = response("<p>Blåbær</p>".encode())


@pytest.fixture(scope="module")
def server() -> Iterator[StrangeServer]:
    with strange_server() as server:
        yield server


def get(server: StrangeServer, path: str, **limits: float) -> bytes:
    return fetch(server.url(path), Limits(**limits), [server.address]).body


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
        ),
        *("192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    ],
)
def test_addresses_that_are_not_the_worlds(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_that_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "localhost", "0", "[::1]", "[::ffff:7f00:1]"],
)
def test_every_spelling_of_this_machine_is_refused(host: str) -> None:
    with pytest.raises(BadInput, match="refused: resolves to"):
        fetch(f"http://{host}:9/", Limits())


def test_one_private_address_among_public_ones_is_enough() -> None:
    with pytest.raises(BadInput, match=r"resolves to 10\.0\.0\.7"):
        permitted("both.example", 80, (), lambda *_: ["1.1.1.1", "10.0.0.7"])


def test_a_name_that_changes_its_mind_is_asked_once_and_what_was_checked_is_what_is_used() -> None:
    """DNS rebinding: public when it is checked, this machine a moment later."""
    answers = iter([["192.88.99.1"], ["127.0.0.1"]])
    asked: list[str] = []

    def ask(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    # Nobody answers at the address that was checked, or a proxy in between does; this machine is not reached.
    with pytest.raises(ToolFailure, match=r"rebinding\.example:9/ (could not be fetched|answers)"):
        fetch("http://rebinding.example:9/", Limits(connect_seconds=0.2, total_seconds=1), (), ask)
    assert asked == ["rebinding.example"]


def test_a_page_and_its_redirects(server: StrangeServer) -> None:
    server.answers |= {
        "/page": PAGE,
        "/one": response(b"", "302 Found", Location="/two"),
        "/two": response(b"", "301 Moved", Location=server.url("/page?q=bl%C3%A5")),
        "/page?q=bl%C3%A5": PAGE,
        "/loop": response(b"", "307 Temporary Redirect", Location="/loop"),
        "/inside": response(b"", "302 Found", Location="http://127.0.0.1:1/"),
        "/metadata": response(b"", "302 Found", Location="http://169.254.169.254/latest/meta-data/"),
        "/file": response(b"", "302 Found", Location="file:///etc/passwd"),
    }
    found = fetch(server.url("/one"), Limits(), [server.address])
    assert (found.url, found.body.decode(), found.charset) == (server.url("/page?q=bl%C3%A5"), "<p>Blåbær</p>", "utf-8")
    for path, said in {
        "/loop": "more than 5 redirects",
        "/inside": "127.0.0.1 is refused: resolves to 127.0.0.1",
        "/metadata": "169.254.169.254 is refused",
        "/file": "is no web address",
    }.items():
        with pytest.raises(BadInput, match=said):
            get(server, path)


@pytest.mark.parametrize(
    "url",
    ["ftp://x.no/", "javascript:alert(1)", "file:///etc/passwd", "http://", "http://a b/", "http://u:p@x.no/", "//x.no", "x.no",
     "http://x.no:99999/", "http://[::1/", "http://x.no/\r\nHost: y", "", "http://" + "a" * 70 + ".no/"],
)  # fmt: skip
def test_what_is_no_web_address(url: str) -> None:
    with pytest.raises(BadInput):
        checked(url)


def test_norwegian_letters_in_an_address() -> None:
    assert checked("https://blåbær.no/å?q=ø#x") == "https://xn--blbr-roah.no/%C3%A5?q=%C3%B8"


def test_answers_that_are_no_page(server: StrangeServer) -> None:
    for path, answer in {
        "/pdf": response(b"%PDF", kind="application/pdf"),
        "/gone": response(b"", "410 Gone"),
        "/login": response(b"", "403 Forbidden"),
        "/brotli": response(b"x", Content_Encoding="br"),
        "/bad-gzip": response(b"no gzip", Content_Encoding="gzip"),
    }.items():
        server.answers[path] = answer
        with pytest.raises(BadInput):
            get(server, path)
    for path, answer in {
        "/busy": response(b"", "503 Service Unavailable"),
        "/slow-down": response(b"", "429 Too Many Requests"),
        "/nonsense": b"SSH-2.0-OpenSSH\r\n",
        "/nothing": b"",
    }.items():
        server.answers[path] = answer
        with pytest.raises(TryAgain):
            get(server, path)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(TryAgain, match="could not be fetched"):
        fetch(f"http://127.0.0.1:{port}/", Limits(), [f"127.0.0.1:{port}"])
    with pytest.raises(TryAgain, match="name not resolved"):
        fetch("http://nothing.invalid/", Limits())


def test_what_is_too_large_is_not_read_to_its_end(server: StrangeServer) -> None:
    bomb = zlib.compressobj(9, wbits=31)
    packed = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(300)) + bomb.flush()
    sent: list[int] = []

    def endless(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while not over.is_set():
            sent.append(connection.send(bytes(65536)))

    server.answers |= {
        "/announced": response(b"", Content_Length="10000000000"),
        "/endless": endless,
        "/bomb": response(packed, Content_Encoding="gzip"),
        "/small-gzip": response(gzip.compress(b"<p>hei</p>"), Content_Encoding="gzip"),
        "/deflate": response(zlib.compress(b"<p>hei</p>"), Content_Encoding="deflate"),
    }
    assert len(packed) < 400_000
    for path, said in {"/announced": "10000000000 bytes", "/endless": "larger than", "/bomb": "larger than"}.items():
        with pytest.raises(BadInput, match=said):
            get(server, path, longest=1_000_000)
    assert sum(sent) < 60_000_000
    assert get(server, "/small-gzip") == get(server, "/deflate") == b"<p>hei</p>"


def test_a_server_that_drips_is_left_when_the_time_is_up(server: StrangeServer) -> None:
    def drip(head: bytes) -> Answer:
        def answer(connection: socket.socket, over: threading.Event) -> None:
            connection.sendall(head)
            while not over.wait(0.05):
                connection.sendall(b"x")

        return answer

    def silent(connection: socket.socket, over: threading.Event) -> None:
        over.wait(60)

    server.answers |= {
        "/body": drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
        "/headers": drip(b"HTTP/1.1 200 OK\r\nX: "),
        "/silence": silent,
    }
    for path in ("/body", "/headers", "/silence"):
        with pytest.raises(TryAgain, match="no whole answer in 1 seconds"):
            get(server, path, total_seconds=1)
