"""The recipe language: a whole compile, from text to plan or diagnostics, with the reference vocabulary."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from orchestration.language import compile_recipe
from tests.benchmarks.report import Report
from tests.orchestration.language.stand_in import described, vocabulary
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
    report.note("1,000 files in one process, start included", seconds=_batch(1_000))


def _batch(count: int) -> float:
    """Seconds that `compile_orchestration` takes for so many files, with a vocabulary from a file and no database."""
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / "tools.json"
        tools.write_text(json.dumps(list(described())), encoding="utf-8")
        files = [Path(folder) / f"{number}.ork" for number in range(count)]
        for file in files:
            file.write_text(HUMAN, encoding="utf-8")
        command = [sys.executable, "manage.py", "compile_orchestration", *map(str, files), "--tools", str(tools)]
        started = time.perf_counter()
        subprocess.run([*command, "--format", "json"], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started


def _milliseconds(text: str) -> float:
    started = time.perf_counter()
    compile_recipe(text, vocabulary())
    return (time.perf_counter() - started) * 1000
