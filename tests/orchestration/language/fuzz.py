"""Any text compiles to a plan or to diagnostics. `python -m tests.orchestration.language.fuzz COUNT [SEED]` for long runs."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator

from orchestration.language import (
    Compilation,
    compile_recipe,
    diagnostics_to_json,
    from_json,
    print_human,
    print_technical,
    render_box,
    to_json,
)
from orchestration.language.fixes import apply, machine_edits
from tests.orchestration.language import score
from tests.orchestration.language.stand_in import read, vocabulary

CORPUS = [recipe["src"] for recipe in read("recipes.yaml") + score.read("recipes.yaml")]
ODD = [
    "(", ")", '"', "«", "»", "”", "'", "{", "}", "{event.title}", "{x}", "{{", "--", "--x=", "#", "//", "\t", "\r", "\n", "\r\n",
    "\u00a0",
    "\u200b", "\u00ad", "\ufeff", "\u202e", "\u2028", "\x00", "\x85", "\ud800", "🎙️", "e\u0301",
    "ﬁ", "İ", "١", "1.", "2)",
    "-", "•", "ved feil:", "NÅR", "HVIS", "og", "eller", "ikke", "uten", "om to timer", "hver mandag", "halv seks", "kl. 8",
    "synops-transcribe", "work_item", "teknisk:", "steg 1", "resultatet fra steg 2", "-16 lufs", "10 forslag", "$(id)",
    "; rm -rf /",
    "会議が終わったら", "когда встреча", "a" * 300, "transkriber " * 20,
]  # fmt: skip


def mutants(count: int, seed: int) -> Iterator[str]:
    """Recipes with a few random edits, and rows of odd pieces."""
    rng = random.Random(seed)
    moves: list[Callable[[random.Random, str], str]] = [_insert, _delete, _swap, _splice, _join, _pieces]
    for _ in range(count):
        text = rng.choice(CORPUS)
        for _ in range(rng.randint(1, 6)):
            text = rng.choice(moves)(rng, text)
        yield text


def _insert(rng: random.Random, text: str) -> str:
    place = rng.randint(0, len(text))
    return text[:place] + rng.choice(ODD) + text[place:]


def _delete(rng: random.Random, text: str) -> str:
    start = rng.randint(0, len(text))
    end = start + rng.randint(1, 12)
    return text[:start] + text[end:]


def _swap(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _splice(rng: random.Random, text: str) -> str:
    other: str = rng.choice(CORPUS)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


def _join(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def _pieces(rng: random.Random, text: str) -> str:
    return " ".join(rng.choice(ODD) for _ in range(rng.randint(1, 8))) if rng.random() < 0.1 else text


def check(text: str) -> Compilation:
    """Everything that must hold for any text."""
    compilation = compile_recipe(text, vocabulary())
    assert (compilation.plan is None) == bool(compilation.errors)
    for item in compilation.diagnostics:
        spans = [item.span, *(edit.span for suggestion in item.suggestions for edit in suggestion.edits)]
        spans += [note.span for note in item.notes if note.span is not None]
        for span in spans:
            line = compilation.source.line(span.line)
            assert 0 <= span.start <= span.end <= len(line), (item.code, span, line)
    for lang in ("nb", "en"):
        assert "{" not in _without_braces(render_box(compilation, lang), text)
        diagnostics_to_json(compilation, lang)
    edits = machine_edits(compilation)
    if edits:
        compile_recipe(apply(text, edits), vocabulary())
    if compilation.plan is not None:
        _check_plan(compilation)
    return compilation


def _without_braces(box: str, text: str) -> str:
    """Braces of the author's own, and of the variables that messages name, are no left-over placeholders."""
    return "" if "{" in text or "{event" in box or "{steps" in box or "{upstream" in box or "{{" in box else box


def _check_plan(compilation: Compilation) -> None:
    plan = compilation.plan
    assert plan is not None
    technical = print_technical(plan, vocabulary())
    again = compile_recipe(technical, vocabulary())
    assert again.plan is not None, (technical, again.diagnostics)
    assert again.plan.meaning() == plan.meaning(), technical
    human = print_human(plan, vocabulary())
    back = compile_recipe(human, vocabulary())
    assert back.plan is not None, (human, back.diagnostics)
    assert back.plan.meaning() == plan.meaning(), human
    assert from_json(to_json(plan)) == plan


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 100_000
    started, plans, failed = time.monotonic(), 0, 0
    for number, text in enumerate(mutants(count, seed)):
        try:
            plans += check(text).plan is not None
        except Exception as error:  # noqa: BLE001 - a fuzzer collects
            failed += 1
            print(f"case {number} of seed {seed}: {type(error).__name__}: {error}\n{text!r}\n")
            if failed > 10:
                break
    seconds = time.monotonic() - started
    print(f"{count} texts, seed {seed}: {plans} compiled, {failed} failed, {seconds:.0f} s")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
