"""Sources of cases: a folder tree, and a real HTTP server that is down, slow, withholds, lies about paging, or changes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from synops.demo.cases import write
from synops.tools.failures import NotConfigured
from synops.tools.sources import http
from synops.tools.sources.checking import checked
from synops.tools.sources.folder import FolderSource
from synops.tools.sources.http import HttpSource
from synops.tools.sources.opening import source_of
from synops.tools.sources.protocol import BadSource, CaseExcluded, NoSuchCase, SourceChanged, SourceDocument, SourceDown

TOKEN = "secret-1"
CASE = {"title": "t", "scheme": "s", "status": "a", "received_on": "2026-01-02"}


ANNOUNCED = {"id": "1", "generated_at": "2026-01-01T00:00:00Z", "counts": {"schemes": 1, "statuses": 1, "cases": 3}}


def page(*items: dict[str, Any], next: str | None = None, **more: Any) -> tuple[int, dict[str, Any]]:
    """A page of the dump."""
    return 200, {"dump": "1", "items": list(items), "next": next, **more}


def named(key: str) -> dict[str, Any]:
    return {"key": key, "name": key.upper()}


class Service:
    """A case service that a test can spoil: `answers` maps a path to (status, document or bytes) or a function of the query."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {
            "/dump": (200, ANNOUNCED),
            "/dump/schemes": page(named("s")),
            "/dump/statuses": page(named("a")),
            "/dump/cases": self.page_of_cases,
            "/cases/2026%2F1/documents": page({"key": "d 1", "name": "å.pdf", "size": 5}, total=1),
            "/cases/2026%2F1/documents/d%201": (200, b"bytes"),
        }
        self.seen: list[tuple[str, str]] = []
        self.released = threading.Event()

    def page_of_cases(self, cursor: str) -> tuple[int, dict[str, Any]]:
        at = int(cursor or 0)
        items = [{"key": f"2026/{n}", **CASE} for n in range(at, min(at + 2, 3))]
        return 200, {"dump": "1", "items": items, "next": str(at + 2) if at + 2 < 3 else None}


def handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            service.seen.append((parts.path, self.headers.get("Authorization", "")))
            answer = service.answers.get(parts.path, (404, {}))
            if callable(answer):
                answer = answer(parse_qs(parts.query).get("cursor", [""])[0])
            status, content = answer
            if content == "stall":
                self.send_response(200)
                self.send_header("Content-Length", "10")
                self.end_headers()
                service.released.wait(60)
                return
            if content == "break off":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"{")
                return
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    return Handler


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(made))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    made.address = f"http://127.0.0.1:{server.server_port}"
    yield made
    made.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def source(service: Service) -> Iterator[HttpSource]:
    made = HttpSource(service.address, TOKEN)
    yield made
    made.close()


def test_a_dump_over_pages_and_a_document_with_the_token_every_time(service: Service, source: HttpSource) -> None:
    rows = list(checked(source.dump()))
    assert [row["key"] for table, row in rows if table == "cases"] == ["2026/0", "2026/1", "2026/2"]
    [document] = source.documents("2026/1")
    with source.open("2026/1", document) as stream:
        assert (document.name, stream.read()) == ("å.pdf", b"bytes")
    assert {seen for _, seen in service.seen} == {f"Bearer {TOKEN}"}


def spoil(path: str, answer: Any) -> Callable[[Service], None]:
    return lambda service: service.answers.__setitem__(path, answer)


def change_between(service: Service) -> None:
    """A new dump is announced after the first page."""
    first = service.answers["/dump"]
    answers = iter([first, (200, {**first[1], "id": "2"})])
    service.answers["/dump"] = lambda _cursor: next(answers)


def in_a_circle(cursor: str) -> tuple[int, dict[str, Any]]:
    return page(*([] if cursor else [{"key": "k", **CASE}]), next="9")


Spoilt = tuple[Callable[[Service], None], type[Exception], str]
DUMPS: dict[str, Spoilt] = {
    "circle": (spoil("/dump/cases", in_a_circle), BadSource, "circle"),
    "same row twice": (spoil("/dump/schemes", page(named("s"), named("s"))), BadSource, "twice"),
    "fewer than announced": (spoil("/dump/schemes", page()), BadSource, "announced 1 rows and gave 0"),
    "more than announced": (
        spoil("/dump/statuses", page(named("a"), named("b"), next="x")),
        BadSource,
        "more than the 1",
    ),
    "no rows at all": (spoil("/dump/cases", (200, {"dump": "1"})), BadSource, '"items"'),
    "new dump in between": (change_between, SourceChanged, "new dump"),
    "page of another dump": (spoil("/dump/statuses", page(dump="2")), SourceChanged, "new dump"),
    "unknown scheme": (spoil("/dump/schemes", page(named("x"))), BadSource, "names the scheme s"),
    "no JSON": (spoil("/dump", (200, b"<html>")), BadSource, "JSON"),
    "no counts": (spoil("/dump", (200, {"id": "1", "generated_at": "2026-01-01"})), BadSource, "counts"),
    "server error": (spoil("/dump/cases", (503, {})), SourceDown, "503"),
    "too many requests": (spoil("/dump", (429, {})), SourceDown, "429"),
    "broken off": (spoil("/dump", (200, "break off")), SourceDown, "broke off"),
    "redirect": (spoil("/dump", (302, b"")), BadSource, "302"),
    "wrong token": (spoil("/dump", (401, {})), NotConfigured, "CASES_SOURCE_TOKEN"),
}


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_that_is_not_what_it_should_be_is_refused(service: Service, source: HttpSource, name: str) -> None:
    spoiled, kind, words = DUMPS[name]
    spoiled(service)
    with pytest.raises(kind, match=words):
        list(checked(source.dump()))


def test_a_source_that_stalls_is_given_up(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "READ_SECONDS", 0.3)
    spoil("/dump", (200, "stall"))(service)
    impatient = HttpSource(service.address, TOKEN)
    with pytest.raises(SourceDown, match="Timeout"):
        impatient.freshness()
    impatient.close()


def test_a_source_that_is_not_there() -> None:
    nobody = HttpSource("http://127.0.0.1:9", "")
    with pytest.raises(SourceDown, match="does not answer"):
        nobody.freshness()
    nobody.close()


def test_a_case_that_is_withheld_or_gone(service: Service, source: HttpSource) -> None:
    service.answers["/cases/2026%2F1/documents"] = (403, {})
    with pytest.raises(CaseExcluded):
        source.documents("2026/1")
    with pytest.raises(NoSuchCase):
        source.documents("2026/99")
    gone = SourceDocument("gone", "borte.pdf", 1, "")
    with pytest.raises(SourceChanged, match=r"borte\.pdf"), source.open("2026/1", gone):
        pass


def test_a_list_of_documents_that_changes_its_total_between_pages(service: Service, source: HttpSource) -> None:
    def pages(cursor: str) -> tuple[int, dict[str, Any]]:
        row = {"key": cursor or "0", "name": "x", "size": 1}
        return 200, {"total": 3 if cursor else 2, "items": [row], "next": None if cursor else "1"}

    service.answers["/cases/2026%2F1/documents"] = pages
    with pytest.raises(BadSource, match="spoke of 2 rows, and then of 3"):
        source.documents("2026/1")


# -- the folder tree ---------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path / "source")
    return tmp_path / "source"


def test_a_folder_tree_is_a_source(tree: Path) -> None:
    source = source_of({"CASES_SOURCE": str(tree)})
    rows = list(checked(source.dump()))
    assert sum(table == "cases" for table, _ in rows) == 15
    listed = source.documents("2026/102")
    assert [document.name for document in listed] == [
        "1-søknad.html",
        "2-faktura.pdf",
        "3-faktura.docx",
        "4-e-post.eml",
    ]
    with source.open("2026/102", listed[1]) as stream:
        assert stream.read(5) == b"%PDF-"


def test_a_folder_tree_withholds_changes_and_can_be_wrong(tree: Path) -> None:
    source = FolderSource(tree)
    with pytest.raises(CaseExcluded):
        source.documents("2026/301")
    with pytest.raises(NoSuchCase):
        source.documents("2026/999")
    rows = source.dump()
    next(rows)
    (tree / "cases" / "2026-500").mkdir()
    (tree / "cases" / "2026-500" / "case.json").write_text("{}")
    with pytest.raises(SourceChanged):
        list(rows)
    with pytest.raises(BadSource, match="key must be a text"):
        list(checked(source.dump()))
    (tree / "schemes.json").write_text("{")
    with pytest.raises(BadSource, match=r"schemes\.json is no JSON"):
        list(source.dump())


def test_a_link_out_of_the_tree_is_no_document(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hemmelig")
    (tree / "cases" / "2026-101" / "documents" / "9.txt").symlink_to(tmp_path / "secret")
    assert "9.txt" not in [document.name for document in FolderSource(tree).documents("2026/101")]


def test_a_token_that_no_header_can_carry_is_said_and_not_shown() -> None:
    with pytest.raises(NotConfigured, match="CASES_SOURCE_TOKEN") as refused:
        HttpSource("http://127.0.0.1:9", "nøkkel")
    assert "nøkkel" not in str(refused.value)


def test_without_a_source_the_setting_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="CASES_SOURCE"):
        source_of({"SYNOPS_VAR": str(tmp_path)})
