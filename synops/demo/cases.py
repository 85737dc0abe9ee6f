"""The demo's cases: a folder tree as a source of cases, with documents of all kinds, and what must come of each case.

Everything is invented. Some cases are meant to fail: a person who looks at the demo should see that, too.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synops.demo.documents import docx, html, mail, pdf, picture_pdf

SCHEMES = (
    {"key": "heat-pump", "name": "Varmepumpe i bolig", "active": True},
    {"key": "commercial-building", "name": "Energitiltak i yrkesbygg", "active": True},
    {"key": "charging", "name": "Ladeanlegg i borettslag", "active": True},
)
STATUSES = (
    {"key": "complete", "name": "Klar til vurdering", "qualifying": True},
    {"key": "draft", "name": "Under utfylling", "qualifying": False},
)
ENCRYPTED = Path(__file__).parent / "encrypted.pdf"

Files = Sequence[tuple[str, bytes]]


@dataclass(frozen=True)
class DemoCase:
    """A case, its documents, and what must come of it: the state of its run and the decision ("" = none)."""

    number: str
    title: str
    applicant: str
    documents: Files
    state: str = "succeeded"
    decision: str = ""
    scheme: str = "heat-pump"
    status: str = "complete"
    received_on: str = "2026-02-02"
    costs: float = 60_000
    restricted: bool = False
    certificate: str = ""
    assessment: str = ""

    def master_data(self) -> dict[str, Any]:
        """The content of its case.json."""
        return {
            "key": self.number,
            "title": self.title,
            "applicant": self.applicant,
            "scheme": self.scheme,
            "status": self.status,
            "received_on": self.received_on,
            "restricted": self.restricted,
            "costs": [{"key": "1", "label": "Utstyr og montering", "amount": self.costs}] if self.costs else [],
            "certificates": [{"number": self.certificate, "grade": "E"}] if self.certificate else [],
            "assessments": [{"key": "1", "kind": "forhåndsvurdering", "outcome": self.assessment}]
            if self.assessment
            else [],
        }


def application(name: str, amount: str, measure: str = "Luft-vann-varmepumpe") -> str:
    """An application's text."""
    return (
        f"Søknad om støtte\nSøker: {name}\nTiltak: {measure}\nSøknadsdato: 2. februar 2026\n"
        f"Søknadsbeløp: kr {amount}\n\nJeg søker om støtte til tiltaket over og har lest vilkårene."
    )


def invoice(date: str, total: str, model: str = "Panasonic Aquarea", number: str = "2026-118") -> str:
    """An invoice's text; without a total when `total` is empty."""
    sum_line = f"Sum å betale: kr {total}" if total else "Å betale: se vedlegg"
    return (
        f"FAKTURA\nVarmepumpesenteret Ærø AS\nOrg.nr. 912 345 678\nFakturanummer: {number}\nFakturadato: {date}\n\n"
        f"Varmepumpe {model} med montering\nMVA 25 % er medregnet\n{sum_line}\nForfall om 14 dager"
    )


def certificate(number: str, grade: str) -> str:
    """An energy certificate's text."""
    return (
        f"ENERGIATTEST\nAttestnummer: {number}\nAdresse: Strandgata 3, 9008 Tromsø\nEnergikarakter: {grade}\n"
        "Oppvarmet areal: 1 240 m²\nUtstedt: 14.01.2026"
    )


def heat_pump(name: str, number: str, **more: Any) -> DemoCase:
    """A case about a heat pump."""
    return DemoCase(number, f"Varmepumpe, {name}", name, **more)


def building(name: str, number: str, **more: Any) -> DemoCase:
    """A case about a commercial building."""
    return DemoCase(number, f"Energitiltak, {name}", name, scheme="commercial-building", costs=900_000, **more)


def demo_cases() -> list[DemoCase]:
    """All of them."""
    return [*_approved(), *_rejected(), *_buildings(), *_stranded(), *_waiting()]


def _approved() -> list[DemoCase]:
    return [
        heat_pump("Åse Ødegård", "2026/101", decision="approved", documents=[
            ("1-soknad.docx", docx(application("Åse Ødegård", "15 000"))),
            ("2-faktura.pdf", pdf(invoice("12.03.2026", "62 500,50"))),
        ]),
        heat_pump("Bjørn Sæther", "2026/102", decision="approved", documents=[
            ("1-søknad.html", html("Søknad", application("Bjørn Sæther", "12 500"))),
            ("2-faktura.pdf", pdf(invoice("20.03.2026", "48 000", number="7714"))),
            ("3-faktura.docx", docx(invoice("21.03.2026", "14 250,-", number="7715"))),
            ("4-e-post.eml", mail("Bjørn Sæther <bjorn@example.no>", "Vedlegg", "2026-03-22", "Hei, her er fakturaene.\n")),
        ]),
        # One document can't be read and one may not be; the rest is enough.
        heat_pump("Gro Kjærås", "2026/103", decision="approved", documents=[
            ("1-soknad.docx", docx(application("Gro Kjærås", "10 000"))),
            ("2-faktura.pdf", pdf(invoice("02.04.2026", "61 000"))),
            ("3-tom.pdf", b""),
            ("4-notat.txt", "Unntatt offentlighet jf. offl. § 13\nInternt notat.\n".encode()),
        ]),
    ]  # fmt: skip


def _rejected() -> list[DemoCase]:
    return [
        heat_pump("Dag Høyland", "2026/104", decision="rejected", documents=[  # bought before the application
            ("1-soknad.docx", docx(application("Dag Høyland", "15 000"))),
            ("2-faktura.pdf", pdf(invoice("15.01.2026", "62 500"))),
        ]),
        heat_pump("Eli Brænd", "2026/105", decision="rejected", documents=[  # withdrawn
            ("1-soknad.html", html("Søknad", application("Eli Brænd", "9 000"))),
            ("2-faktura.pdf", pdf(invoice("15.03.2026", "62 500"))),
            ("3-e-post.eml", mail("Eli <eli@example.no>", "Søknaden", "2026-04-01", "Hei,\n\njeg trekker søknaden.\n")),
        ]),
        heat_pump("Finn Lærum", "2026/106", decision="rejected", documents=[  # the invoices don't cover the costs
            ("1-soknad.docx", docx(application("Finn Lærum", "15 000"))),
            ("2-faktura.pdf", pdf(invoice("15.03.2026", "31 250"))),
        ]),
        heat_pump("Hilde Ås", "2026/107", decision="unclear", documents=[  # nobody can tell what was paid
            ("1-soknad.docx", docx(application("Hilde Ås", "15 000"))),
            ("2-faktura.html", html("Faktura", invoice("15.03.2026", ""))),
        ]),
    ]  # fmt: skip


def _buildings() -> list[DemoCase]:
    offer = (
        "Tilbud\nTilbudsnummer 88\nGyldig til 31.12.2026\nEtterisolering og nye vinduer",
        [("Tilbudssum", "kr 880 000")],
    )
    asked = application("Tromsø Eiendom AS", "250 000", "Etterisolering")
    return [
        building("Tromsø Eiendom AS", "2026/201", decision="approved", certificate="A2026-0411", documents=[
            ("1-soknad.docx", docx(asked)),
            ("2-energiattest.pdf", pdf(certificate("A2026-0411", "E"))),
            ("3-tilbud.docx", docx(*offer)),
        ]),
        building("Sørøya Hotell", "2026/202", decision="rejected", certificate="A2026-0500", documents=[  # grade B is too good
            ("1-soknad.docx", docx(asked)),
            ("2-energiattest.pdf", pdf(certificate("A2026-0500", "B"))),
            ("3-tilbud.html", html("Tilbud", *offer)),
        ]),
        building("Lærdal Meieri", "2026/203", decision="rejected", certificate="A2026-0600", assessment="negative", documents=[
            ("1-soknad.docx", docx(asked)),
            ("2-energiattest.pdf", pdf(certificate("A2026-0601", "F"))),  # the certificate of another building
            ("3-tilbud.docx", docx(*offer)),
        ]),
    ]  # fmt: skip


def _stranded() -> list[DemoCase]:
    return [
        heat_pump("Ivar Moe", "2026/301", state="excluded", restricted=True, documents=[("1-soknad.docx", docx("Søknad"))]),
        heat_pump("Jorunn Vik", "2026/302", state="permanently_failed", documents=[
            ("1-skann.pdf", picture_pdf()),
            ("2-faktura.pdf", ENCRYPTED.read_bytes()),
            ("3-skadet.docx", docx("Søknad")[:-60]),
        ]),
        heat_pump("Kåre Lien", "2026/303", state="permanently_failed", documents=[]),
    ]  # fmt: skip


def _waiting() -> list[DemoCase]:
    """One of a scheme that no analyzer is deployed for, and one that its applicant is still writing."""
    text = docx(application("Nedre Ås borettslag", "50 000", "Ladeanlegg"))
    return [
        DemoCase(
            "2026/401", "Ladeanlegg, Nedre Ås", "Nedre Ås borettslag", [("1.docx", text)], state="", scheme="charging"
        ),
        heat_pump("Marit Nærø", "2026/402", state="", status="draft", documents=[]),
    ]


def write(root: Path) -> bool:
    """Make the folder `root` a source with the demo's cases; False when something is there already, which stays."""
    if (root / "cases").exists():
        return False
    root.parent.mkdir(parents=True, exist_ok=True)
    # Built beside it and renamed: a source is there as a whole or not at all.
    part = Path(tempfile.mkdtemp(prefix=".cases-", dir=root.parent))
    try:
        _write(part)
        part.chmod(0o755)
        part.rename(root)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return True


def _write(root: Path) -> None:
    _json(root / "schemes.json", SCHEMES)
    _json(root / "statuses.json", STATUSES)
    for case in demo_cases():
        folder = root / "cases" / case.number.replace("/", "-")
        (folder / "documents").mkdir(parents=True)
        _json(folder / "case.json", case.master_data())
        for name, content in case.documents:
            (folder / "documents" / name).write_bytes(content)


def _json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")
