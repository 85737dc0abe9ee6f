"""synops-extract as a program at a shell: every format, and every way in which a document can be bad."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pypdfium2
import pytest

from synops.demo.cases import application, invoice
from synops.demo.documents import docx, html, mail, pdf, picture_pdf
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.tools.documents.reader import read
from synops.tools.failures import BadInput
from tests.tools.conftest import Workshop, rows, running_job

MEGABYTE = 1 << 20
ENCRYPTED = Path(__file__).parent.parent / "data" / "cases" / "encrypted.pdf"


def save(workshop: Workshop, name: str, content: bytes) -> str:
    path = workshop.root / name
    path.write_bytes(content)
    return f"--path={path}"


@pytest.mark.parametrize(
    ("name", "content", "kind", "fact", "value"),
    [
        ("faktura.pdf", pdf(invoice("12.03.2026", "62 500,50")), "invoice", "invoice_total", 62500.5),
        ("soknad.docx", docx(application("Åse Ødegård", "15 000")), "application", "applicant", "Åse Ødegård"),
        (
            "a.html",
            html("Tilbud", "Gyldig til: 31.12.2026", [("Tilbudssum", "28 000 kr")]),
            "offer",
            "offer_total",
            28000,
        ),
        ("post.eml", mail("Åse <a@x.no>", "Hei", "2026-03-01", "Jeg trekker søknaden.\n"), "email", "withdrawn", True),
        ("latin1.txt", invoice("1. mars 2026", "1.250,-").encode("latin-1"), "invoice", "invoice_date", "2026-03-01"),
    ],
)
def test_each_format_gives_its_kind_and_facts_without_a_database(workshop, name, content, kind, fact, value):
    done = workshop.run("synops-extract", save(workshop, name, content)).result
    assert (done["kind"], done["facts"][fact]["value"]) == (kind, value)
    assert done["facts"][fact]["quote"]
    assert done["text_hash"] is None


def bomb() -> bytes:
    written = io.BytesIO()
    archive = zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("word/document.xml", "w", force_zip64=True) as part:
        for _ in range(300):
            part.write(b" " * (1 << 20))
    return written.getvalue()


BAD = {
    "empty": (b"", "it has 0 bytes"),
    "damaged PDF": (b"%PDF-1.7\nnothing behind it", "the PDF is damaged"),
    "half a PDF": (pdf("Faktura")[:200], "the PDF is damaged"),
    "encrypted PDF": (ENCRYPTED.read_bytes(), "encrypted"),
    "scanned PDF": (picture_pdf(), "no text"),
    "picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "no text: the document is a picture"),
    "damaged Word": (docx("Søknad")[:-50], "damaged"),
    "empty Word": (docx(""), "no text"),
    "empty HTML": (b"<!doctype html><script>x()</script>", "no text"),
    "mail with a scan": (mail("a@x.no", "Skann", "2026-03-01", "", ("skann.pdf", b"%PDF-")), "no text"),
    "old Word": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "are not read"),
    "other ZIP": (b"PK\x05\x06" + b"\0" * 18, "are not read"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_document_that_cant_be_read_says_why(tmp_path, name):
    content, words = BAD[name]
    path = tmp_path / "document"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=words):
        read(path)


def test_a_word_document_that_unpacks_to_gigabytes_is_refused_before_it_does(tmp_path):
    path = tmp_path / "bombe.docx"
    path.write_bytes(bomb())
    with pytest.raises(BadInput, match="would unpack to"):
        read(path)


def test_bad_and_excluded_documents_end_the_program_with_their_codes(workshop):
    scanned = workshop.run("synops-extract", save(workshop, "skann.pdf", picture_pdf()))
    assert (scanned.code, scanned.stdout) == (65, "")
    assert "no text" in scanned.stderr.splitlines()[-1]
    secret = save(workshop, "unntatt.txt", "Unntatt offentlighet jf. offl. § 13".encode())
    withheld = workshop.run("synops-extract", secret)
    assert (withheld.code, withheld.stdout) == (77, "")
    assert "left unread" in withheld.stderr.splitlines()[-1]


def five_hundred_pages() -> bytes:
    """Put together from a few: making a page takes longer the more there are before it."""
    head = pypdfium2.PdfDocument(pdf("FAKTURA\nForfall om 14 dager, MVA 25 %"))
    filler = pypdfium2.PdfDocument(pdf("\f".join(["en side"] * 43)))
    total = pypdfium2.PdfDocument(pdf("Sum å betale: kr 9 999"))
    whole = pypdfium2.PdfDocument.new()
    whole.import_pages(head)
    for _ in range(10):
        whole.import_pages(filler)
    whole.import_pages(total, index=430)
    whole.import_pages(filler)
    whole.import_pages(filler, pages=list(range(25)))
    written = io.BytesIO()
    whole.save(written)
    return written.getvalue()


def test_five_hundred_pages_and_the_page_of_a_fact(workshop):
    done = workshop.run("synops-extract", save(workshop, "lang.pdf", five_hundred_pages())).result
    assert done["pages"] == 500
    assert done["facts"]["invoice_total"] == {"value": 9999.0, "quote": "Sum å betale: kr 9 999", "page": 431}


def large_word(path: Path) -> None:
    """Nearly all photographs, which a library that reads every part would hold in memory."""
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_STORED)
    with archive, zipfile.ZipFile(io.BytesIO(docx(application("Åse", "15 000")))) as small:
        for name in small.namelist():
            archive.writestr(name, small.read(name))
        with archive.open("word/media/foto.png", "w", force_zip64=True) as part:
            for _ in range(200):
                part.write(b"\x89" * MEGABYTE)


def large_pdf(path: Path) -> None:
    """Two hundred megabytes between the last object and the table of them; a hole in the file, which is white space."""
    small = pdf(application("Åse", "15 000"))
    table = int(small.rsplit(b"startxref", 1)[1].split()[0])
    with path.open("wb") as file:
        file.write(small[:table])
        file.seek(200 * MEGABYTE, io.SEEK_CUR)
        file.write(small[table:].replace(str(table).encode(), str(table + 200 * MEGABYTE).encode()))


def large_page(path: Path) -> None:
    """A mail that was saved as a page, with its photographs in it."""
    with path.open("wb") as file:
        file.write(f"<!doctype html><p>{application('Åse', '15 000')}</p>".encode())
        for _ in range(200):
            file.write(b'<img src="data:image/png;base64,' + b"A" * MEGABYTE + b'">\n')


def large_text(path: Path) -> None:
    with path.open("wb") as file:
        file.write(application("Åse", "15 000").encode())
        for _ in range(200):
            file.write(b"en linje til\n" * (MEGABYTE // 13))


@pytest.mark.parametrize(("large", "warnings"), [(large_word, 0), (large_pdf, 0), (large_page, 0), (large_text, 1)])
def test_two_hundred_megabytes_are_read_in_bounded_memory(tmp_path, large, warnings):
    path = tmp_path / "document"
    large(path)
    assert path.stat().st_size > 190 * MEGABYTE
    code = (
        "import resource, sys, pathlib; from synops.tools.documents.reader import read;"
        "resource.setrlimit(resource.RLIMIT_AS, (250 << 20, 250 << 20)); found = read(pathlib.Path(sys.argv[1]));"
        "print(found.text[:1000], len(found.warnings))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    path.unlink()  # what a test leaves is kept for a while
    assert "Søker: Åse" in done.stdout, done.stderr
    assert done.stdout.split()[-1] == str(warnings)


def test_facts_are_kept_by_document_and_extractor_and_read_anew_only_by_force(database_workshop):
    workshop = database_workshop
    digest = workshop.store.put_bytes(pdf(invoice("12.03.2026", "62 500,50"))).digest
    flags = (f"--cas-hash={digest}", "--write")
    job = running_job(SYSTEM_COLLECTION_ID, "case_extract")
    first = workshop.run("synops-extract", *flags, **job).result
    assert (first["cached"], workshop.store.exists(first["text_hash"])) == (False, True)
    second = workshop.run("synops-extract", *flags, **job).result
    assert (second["cached"], second["facts"]) == (True, first["facts"])
    assert workshop.run("synops-extract", *flags, "--force", **job).result["cached"] is False
    assert rows("SELECT cas_hash, extractor, found ->> 'kind' FROM case_facts") == [(digest, "letters@1", "invoice")]


def test_a_run_whose_job_was_taken_from_it_leaves_no_facts(database_workshop):
    workshop = database_workshop
    digest = workshop.store.put_bytes(pdf(invoice("12.03.2026", "62 500,50"))).digest
    job = {**running_job(SYSTEM_COLLECTION_ID, "case_extract"), "SYNOPS_LEASE": "7"}
    done = workshop.run("synops-extract", f"--cas-hash={digest}", "--write", **job)
    assert done.code == 75
    assert rows("SELECT count(*) FROM case_facts") == [(0,)]


def test_an_extractor_that_is_not_deployed(workshop):
    done = workshop.run("synops-extract", save(workshop, "a.txt", b"Hei"), "--extractor=letters@99")
    assert done.code == 78
    assert "letters@1" in done.stderr
    assert workshop.run("synops-extract", save(workshop, "a.txt", b"Hei"), "--extractor=../../etc/x@1").code == 78
