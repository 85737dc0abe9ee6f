"""Text and values out of documents as they really come: cheap cases, in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from synops.demo.documents import docx, html, mail, pdf
from synops.tools.documents.reader import read
from synops.tools.documents.values import value_of
from synops.tools.failures import BadInput


def text_of(folder: Path, content: bytes) -> str:
    path = folder / "document"
    path.write_bytes(content)
    return read(path).text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("kr 12 345,50", 12345.5),
        ("12.345,-", 12345),
        ("12,345.50", 12345.5),
        ("1.250", 1250),
        ("3,5", 3.5),
        ("-17,25 kr", -17.25),
        ("1 000 000", 1000000),
        ("ingen", None),
    ],
)
def test_amounts(written: str, value: float | None) -> None:
    assert value_of("amount", written) == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12.03.2026", "2026-03-12"),
        ("2026-03-12", "2026-03-12"),
        ("12. mars 2026", "2026-03-12"),
        ("1. desember 2025 kl. 12", "2025-12-01"),
        ("3 May 2026", "2026-05-03"),
        ("31.02.2026", None),
        ("12. foo 2026", None),
        ("snart", None),
    ],
)
def test_dates(written: str, value: str | None) -> None:
    assert value_of("date", written) == value


def test_a_tables_row_is_a_line_in_word_and_html(tmp_path: Path) -> None:
    for content in (
        docx("Faktura", [("Sum", "1 200"), ("MVA", "240")]),
        html("F", "x", [("Sum", "1 200"), ("MVA", "240")]),
    ):
        lines = text_of(tmp_path, content).splitlines()
        assert "Sum 1 200" in lines
        assert "MVA 240" in lines


def test_html_as_a_reader_sees_it(tmp_path: Path) -> None:
    page = (
        "<!doctype html><title>T</title><style>p{}</style><p>Én <b>lin</b>je<br>to &amp; tre</p>"
        "<script>var x = '<p>nei</p>'</script><p>slutt"
    )
    assert text_of(tmp_path, page.encode()) == "Én linje\nto & tre\n\nslutt"


@pytest.mark.parametrize(
    "content",
    [
        '<html><meta charset="iso-8859-1"><p>Blåbærsyltetøy'.encode("latin-1"),
        '<html><meta charset="iso-8859-1"><p>Blåbærsyltetøy'.encode(),  # saved anew, with the old declaration
        "<html><p>Blåbærsyltetøy".encode("utf-16"),
        "Blåbærsyltetøy".encode("windows-1252"),
        "\ufeffBlåbærsyltetøy".encode(),
    ],
)
def test_norwegian_letters_whatever_the_encoding(tmp_path: Path, content: bytes) -> None:
    assert text_of(tmp_path, content) == "Blåbærsyltetøy"


def test_a_mail_without_a_plain_part_and_with_an_odd_charset(tmp_path: Path) -> None:
    only_html = b"From: a@x.no\nSubject: S\nContent-Type: text/html; charset=utf-8\n\n<p>Hei <b>du</b></p>"
    assert text_of(tmp_path, only_html).endswith("Hei du")
    odd = b"From: a@x.no\nSubject: S\nContent-Type: text/plain; charset=x-unknown\n\nBl\xe5b\xe6r"
    assert text_of(tmp_path, odd).endswith("Blåbær")


def test_headers_of_a_mail_are_its_text_too(tmp_path: Path) -> None:
    text = text_of(tmp_path, mail("Åse <a@x.no>", "Søknad 12", "2026-03-01", "Hei\n"))
    assert "Subject: Søknad 12" in text
    assert "From: Åse <a@x.no>" in text


def test_a_page_break_is_kept(tmp_path: Path) -> None:
    assert text_of(tmp_path, pdf("side 1\fside 2")) == "side 1\fside 2"


def test_a_mail_that_is_too_large_to_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stor.eml"
    with path.open("wb") as file:
        file.write(b"From: a@x.no\nSubject: S\n\n")
        file.truncate(65 * 1024 * 1024)
    with pytest.raises(BadInput, match="save its attachments"):
        read(path)
