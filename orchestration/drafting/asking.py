"""A draft from a model: it writes, the compiler checks, what is wrong goes back as data, for a few rounds.

The model only writes text. It has no functions to call, and nothing that it says is executed: a command that no tool has
is an error of the compiler's, and what compiles waits for a person.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from orchestration.drafting.levels import Level
from orchestration.drafting.proposal import NO_TOOL, NO_VERB
from orchestration.language import Compilation, Vocabulary, compile_recipe, diagnostics_to_json
from synops.llm.chat import Message, complete
from synops.llm.endpoint import Endpoint
from synops.llm.failures import Unavailable
from synops.llm.usage import Usage

MAX_ROUNDS = 3
MAX_TOKENS = 2_000
MAX_SCRIPT = 16_000
"""Characters of an answer that are read: a recipe of 50 steps has a fifth of that."""
ATTEMPTS = 2
"""Of one call, in place of the client's four: a person is waiting."""
MAX_TOLD = 10

_FENCE = re.compile(r"```[a-zæøå]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_BEGINNING = re.compile(r"^[ \t]*(?:#|//|når|naar|hvis|viss|when|if)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Written:
    """The best script of the rounds, and what the rounds cost."""

    script: str
    model: str
    rounds: int
    usage: Usage


def write(
    endpoint: Endpoint, prompt: str, wish: str, words: Vocabulary, chosen: Level, seconds: float, *, dream: bool = False
) -> Written:
    """Have a model write a script. With `dream` a tool that does not exist is an answer, not a mistake.

    Ends within about `seconds`. Raises synops.llm's ModelFailure when not even the first round gave anything.
    """
    talk: list[Message] = [{"role": "system", "content": prompt}, {"role": "user", "content": wish}]
    patience = _Patience(endpoint, seconds)
    best: tuple[int, Written] | None = None
    usage = Usage()
    for number in range(1, min(chosen.rounds, MAX_ROUNDS) + 1):
        try:
            reply = complete(patience.endpoint(), talk, tier=chosen.tier, max_tokens=MAX_TOKENS)
        except Unavailable:
            if best is None:
                raise
            break
        usage += reply.usage
        script = script_in(reply.text)
        compilation = compile_recipe(script, words)
        wrong = _errors(compilation, dream)
        if best is None or wrong < best[0]:
            best = wrong, Written(script, reply.model, number, usage)
        if not wrong:
            break
        talk = [*talk[:2], *objection(script, compilation)]
    assert best is not None  # noqa: S101 (the first round gave something, or raised)
    return replace(best[1], rounds=number, usage=usage)


class _Patience:
    """What is left of the time, as the endpoint's own limits."""

    def __init__(self, endpoint: Endpoint, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._end = clock() + seconds

    def endpoint(self) -> Endpoint:
        left = self._end - self._clock()
        if left <= 0:
            raise Unavailable(f"{self._endpoint.server} took too long")
        least = min(left, self._endpoint.total_seconds)
        return replace(self._endpoint, total_seconds=least, attempts=ATTEMPTS)


def script_in(answer: str) -> str:
    """The script in an answer that may have a fence or a sentence around it; at most MAX_SCRIPT characters."""
    answer = answer[: 4 * MAX_SCRIPT]
    fenced = [block for block in _FENCE.findall(answer) if _BEGINNING.search(block)]
    text = fenced[0] if fenced else answer
    found = _BEGINNING.search(text)
    return text[found.start() if found else 0 :].strip()[:MAX_SCRIPT] + "\n"


def objection(script: str, compilation: Compilation) -> list[Message]:
    """The model's own script, and the compiler's records of what is wrong with it, as JSON."""
    record = diagnostics_to_json(compilation)
    told = [_brief(one) for one in record["diagnostics"] if one["severity"] == "error"][:MAX_TOLD]
    said = json.dumps({"ok": False, "diagnostics": told}, ensure_ascii=False)
    return [
        {"role": "assistant", "content": script},
        {"role": "user", "content": f"Kompilatoren fant feil:\n{said}\nSvar med hele scriptet, rettet."},
    ]


def _brief(record: dict[str, object]) -> dict[str, object]:
    """What a model needs of a record: 16-bit columns and addresses of help pages are for editors."""
    kept = {name: record[name] for name in ("code", "message", "help", "notes", "args") if record[name]}
    place = record["range"]
    suggestions = record["suggestions"]
    assert isinstance(place, dict) and isinstance(suggestions, list)  # noqa: S101, PT018 (the compiler's own record)
    return {"line": place["start"]["line"], **kept, "suggestions": [one["label"] for one in suggestions]}


def _errors(compilation: Compilation, dream: bool) -> int:
    passed = (NO_TOOL, NO_VERB) if dream else ()
    return sum(item.code not in passed for item in compilation.errors)
