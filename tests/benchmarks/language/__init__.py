"""The recipe language: a whole compile, from text to plan or diagnostics, with the reference vocabulary."""

from __future__ import annotations

import time

from orchestration.language import compile_recipe
from tests.benchmarks.report import Report
from tests.orchestration.language.stand_in import vocabulary
from tests.orchestration.language.test_spec import HUMAN

ROUNDS = 30
_STEP = "{n}. transkriber lydfilen (stor modell)\n   ved feil: transkriber lydfilen (medium modell)\n"
_EXTRA = "   ved feil: oppsummer samtalen\n   ved feil: oppdater rss-feed\n"
TEXTS = {
    "seed recipe, whole compile": HUMAN,
    "200 lines, whole compile": "NÅR innspilling avsluttet\n"
    + "".join((_STEP + _EXTRA).format(n=n) for n in range(1, 50))
    + "50. oppsummer samtalen\n",
    "200 wrong lines, whole compile": "NÅR innspilling avsluttet\n"
    + "".join(f"{n}. vurder kaffen nøye\n" for n in range(1, 200)),
    "64 KiB line, whole compile": "transkriber lydfilen " * 3_000,
}


def measure(report: Report) -> None:
    """All rows of the area: the median of `ROUNDS` compiles, the vocabulary already read."""
    started = time.perf_counter()
    compile_recipe(HUMAN, vocabulary())
    report.note("first compile, vocabulary and forms included", ms=(time.perf_counter() - started) * 1000)
    for name, text in TEXTS.items():
        times = sorted(_milliseconds(text) for _ in range(ROUNDS))
        report.measured(name, times[ROUNDS // 2], fastest=times[0])


def _milliseconds(text: str) -> float:
    started = time.perf_counter()
    compile_recipe(text, vocabulary())
    return (time.perf_counter() - started) * 1000
