"""Golden files: recipes and everything that is made of them. `python -m tests.orchestration.language.golden --bless` rewrites.

`good/NAME.ork` compiles; beside it stand the compiled JSON, the technical text and the formatted text in three languages.
`bad/NAME.ork` holds its own expectations: a line `#~ ORK-406 kårt` says that the line above it gets this code at these
words. Beside it stand the record, the box, and the text with every machine-applicable fix made.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from orchestration.language import (
    Compilation,
    compile_recipe,
    diagnostics_to_json,
    print_human,
    print_technical,
    render_box,
    to_json,
)
from orchestration.language.codes_page import page
from orchestration.language.fixes import machine_edits
from orchestration.language.front import fixed
from tests.orchestration.language.stand_in import DATA, vocabulary

CODES_PAGE = Path(__file__).parents[3] / "docs" / "language-codes.md"
GOOD, BAD = DATA / "language" / "good", DATA / "language" / "bad"
MARK = "#~"


def read(path: Path) -> str:
    """The bytes as they are: line ends are part of some recipes."""
    return path.read_bytes().decode("utf-8")


def made_of_good(text: str) -> dict[str, str]:
    """File ending → what belongs in it."""
    compilation = compile_recipe(text, vocabulary())
    if compilation.plan is None:
        raise AssertionError([(item.code, item.span) for item in compilation.diagnostics])
    plan = compilation.plan
    compiled = to_json(plan) | {"lexicon_hash": ""}
    human = {f".{lang}.txt": print_human(plan, vocabulary(), lang) for lang in ("nb", "nn", "en")}
    return {".json": pretty(compiled), ".tek": print_technical(plan, vocabulary()), **human}


def made_of_bad(text: str) -> dict[str, str]:
    compilation = compile_recipe(text, vocabulary())
    record = diagnostics_to_json(compilation) | {"lexicon_hash": "", "compiled": None}
    made = {".diag.json": pretty(record), ".txt": render_box(compilation)}
    if machine_edits(compilation):
        made[".fixed"] = fixed(text, vocabulary())
    return made


def pretty(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def expected(text: str) -> list[tuple[int, str, str]]:
    """(line, code, words) of each annotation."""
    found, line = [], 0
    for number, content in enumerate(text.split("\n"), 1):
        if content.startswith(MARK):
            code, _, said = content.removeprefix(MARK).strip().partition(" ")
            found.append((line, code, said))
        else:
            line = number
    return found


def reported(compilation: Compilation) -> list[tuple[int, str, str]]:
    """What the annotations must say."""
    return [
        (item.span.line, item.code, compilation.source.slice(item.span).strip()) for item in compilation.diagnostics
    ]


def annotated(text: str) -> str:
    """The text with its annotations written anew."""
    lines = [line for line in text.split("\n") if not line.startswith(MARK)]
    compilation = compile_recipe("\n".join(lines), vocabulary())
    out = []
    for number, line in enumerate(lines, 1):
        out.append(line)
        out += [f"{MARK} {code} {said}".rstrip() for place, code, said in reported(compilation) if place == number]
    return "\n".join(out)


def bless() -> None:
    CODES_PAGE.write_text(page(), encoding="utf-8")
    for path in sorted(BAD.glob("*.ork")):
        path.write_bytes(annotated(read(path)).encode())
    for folder, make in ((GOOD, made_of_good), (BAD, made_of_bad)):
        for stale in folder.glob("*.*"):
            if stale.suffix != ".ork":
                stale.unlink()
        for path in sorted(folder.glob("*.ork")):
            for ending, content in make(read(path)).items():
                path.with_suffix(ending).write_bytes(content.encode())


if __name__ == "__main__" and "--bless" in sys.argv:
    bless()
