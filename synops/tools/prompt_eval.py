"""synops-prompt-eval: a test set run through prompts × models, with what each answered right, as a table and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synops.llm.names import EMBEDDING_SETTINGS, SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from synops.llm.endpoint import Endpoint
    from synops.llm.failures import ModelFailure
    from synops.llm.usage import Usage
    from synops.tools.call import Call
    from synops.tools.encoder import Encoder
    from synops.tools.prompt_sets import Case, PromptSet

EXTRACTIVE: Final = "extractive"
# A result has at most a megabyte; the rows count all answers.
MOST_SHOWN: Final = 500
METRICS: Final = ("valid_json", "exact", "contains", "rouge_l", "cosine")

DESCRIPTION = Description(
    name="synops-prompt-eval",
    version="0.1.0",
    description={
        "nb": "Prøver ledetekster mot modeller på et testsett og måler svarene.",
        "en": "Tries prompts on models with a test set and measures the answers.",
    },
    job_types=("prompt_eval",),
    aliases={
        "nb": ("prøv ledetekstene", "mål ledetekstene", "kjør testsettet"),
        "nn": ("prøv leietekstane", "mål leietekstane", "køyr testsettet"),
        "en": ("evaluate prompts", "run the test set"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.node_id",),
            hints={"nb": ("testsett", "node"), "nn": ("testsett", "node"), "en": ("the test set", "the node")},
            description={
                "nb": "Noden med testsettet: JSON med prompts og cases.",
                "en": "The node with the test set: JSON with prompts and cases.",
            },
        ),
        Param(
            name="models",
            type="string",
            default="",
            description={
                "nb": "Modeller med komma mellom; extractive = uten modell. Ellers den vanlige, eller extractive.",
                "en": "Models, separated by commas; extractive = none. Else the ordinary one, or extractive.",
            },
        ),
    ),
    outputs={
        "rows": "list",
        "table": "text",
        "answers": "list",
        "best": "object",
        "engine": "string",
        "usage": "object",
    },
    timeout=3600,
    database="read",
    settings=(*SETTINGS, *EMBEDDING_SETTINGS),
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-prompt-eval --node-id=0190f5a6-0000-7000-8000-000000000001 --models=extractive",
        "synops-prompt-eval --node-id=0190f5a6-0000-7000-8000-000000000001 --models=openai/gpt-4o-mini,google/gemini-flash-1.5",
    ),
)


class Answer(NamedTuple):
    """What one model said to one prompt with one case; `failure` when it said nothing."""

    text: str
    usage: Usage
    failure: ModelFailure | None = None


def work(call: Call) -> dict[str, Any]:
    """Every prompt with every model over all cases. A model that fails on a case loses that case, not the others' results."""
    from synops.llm.usage import Usage
    from synops.tools.database import reading
    from synops.tools.prompt_sets import read_prompt_set
    from synops.tools.subject import read_node

    place, models = _models(call)
    with reading(call) as cur:
        tests = read_prompt_set(read_node(cur, call.uuid("node_id")).content)
    encoder = _encoder(call, tests)
    rows, answers, total = [], [], Usage()
    failures: list[ModelFailure | None] = []
    cells = [(model, prompt) for model in models for prompt in tests.prompts]
    for number, (model, prompt) in enumerate(cells):
        call.progress(number / len(cells), f"{model}, {prompt}")
        given = [_ask(place, model, tests, prompt, case) for case in tests.cases]
        scored = [_score(answer, case, tests, encoder) for answer, case in zip(given, tests.cases, strict=True)]
        spent = sum((answer.usage for answer in given), Usage())
        total += spent
        rows.append(_row(model, prompt, scored, spent))
        answers += _shown(model, prompt, tests.cases, given, scored)
        failures += [answer.failure for answer in given]
    _refuse_silence(failures)
    best = max(rows, key=lambda row: row["score"])
    engine = EXTRACTIVE if models == [EXTRACTIVE] else "llm"
    return {
        "engine": engine,
        "model": ", ".join(models),
        "best": {"model": best["model"], "prompt": best["prompt"], "score": best["score"]},
        "table": _table(rows),
        "rows": rows,
        "answers": answers[:MOST_SHOWN],
        "usage": total.to_json(),
    }


def _refuse_silence(failures: Sequence[ModelFailure | None]) -> None:
    """Where no model has said anything, there is nothing to compare: a table of zeros would be taken for a judgement."""
    from synops.tools.model import failures_as_exit_codes

    told = [failure for failure in failures if failure]
    if told and len(told) == len(failures):
        with failures_as_exit_codes():
            raise told[0]


def _models(call: Call) -> tuple[Endpoint | None, list[str]]:
    from synops.tools.engines import HOW_TO_CONFIGURE
    from synops.tools.failures import NotConfigured
    from synops.tools.model import endpoint, failures_as_exit_codes

    place = endpoint(call)
    named = list(dict.fromkeys(name.strip() for name in call.payload["models"].split(",") if name.strip()))
    if not named and place:
        with failures_as_exit_codes():
            named = [place.model()]
    missing = [name for name in named if name != EXTRACTIVE]
    if missing and place is None:
        raise NotConfigured(f"model {missing[0]} needs a server. {HOW_TO_CONFIGURE}, or give --models=extractive.")
    return place, named or [EXTRACTIVE]


def _encoder(call: Call, tests: PromptSet) -> Encoder | None:
    """Only a case with an expected answer can be compared by meaning; without weights that column stays empty."""
    from synops.tools.encoder import encoder_of
    from synops.tools.failures import NotConfigured

    if not any(case.expected for case in tests.cases):
        return None
    try:
        return encoder_of(call)
    except NotConfigured as missing:
        call.log(f"no cosine: {missing}")
        return None


def _ask(place: Endpoint | None, model: str, tests: PromptSet, prompt: str, case: Case) -> Answer:
    """A refusal of the server ends everything; what may pass by another time is this case's error."""
    from synops.llm.chat import complete
    from synops.llm.failures import ModelFailure, NotUsable
    from synops.llm.usage import Usage
    from synops.tools.failures import NotConfigured

    if model == EXTRACTIVE or place is None:
        return Answer(_extract(case.input), Usage())
    text = tests.prompts[prompt].replace("{input}", case.input)
    form = tests.schema and {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": tests.schema},
    }
    try:
        said = complete(place, [{"role": "user", "content": text}], model=model, response_format=form)
    except NotUsable as refused:
        if refused.status in (401, 402, 403):
            raise NotConfigured(str(refused)) from refused
        return Answer("", Usage(), refused)
    except ModelFailure as failure:
        return Answer("", Usage(), failure)
    return Answer(said.text.strip(), said.usage)


def _extract(text: str) -> str:
    """The measure to beat: the three most telling sentences, quoted."""
    from synops.tools.extractive import choose, split_sentences

    sentences = split_sentences(" ".join(text.split()))
    return " ".join(sentences[at] for at in choose(sentences, 3, "nb"))


def _score(answer: Answer, case: Case, tests: PromptSet, encoder: Encoder | None) -> dict[str, float | None]:
    """Each metric from 0 to 1; None where the case gives nothing to measure it by."""
    from synops.tools.encoder import cosine
    from synops.tools.similarity import contains, exact, rouge_l

    expected = case.expected
    alike = 0.0 if encoder and expected else None
    if encoder and expected and answer.text:
        alike = cosine(*encoder.passages([answer.text[:4000], expected[:4000]], lambda _: None))
    return {
        "valid_json": None if tests.schema is None else float(_fits(answer.text, tests.schema)),
        "exact": None if expected is None else float(exact(answer.text, expected)),
        "contains": contains(answer.text, case.contains) if case.contains else None,
        "rouge_l": None if expected is None else rouge_l(answer.text, expected),
        "cosine": alike,
    }


def _fits(text: str, schema: dict[str, Any]) -> bool:
    """Does the answer hold a JSON object that fits?"""
    from jsonschema import Draft202012Validator

    from synops.llm.structured import find_object

    try:
        return bool(Draft202012Validator(schema).is_valid(find_object(text)))
    except ValueError:
        return False


def _row(model: str, prompt: str, scored: Sequence[dict[str, float | None]], spent: Usage) -> dict[str, Any]:
    means = {metric: _mean([one[metric] for one in scored]) for metric in METRICS}
    # The metrics that the test set can measure count alike.
    score = _mean([value for value in means.values() if value is not None]) or 0.0
    return {"model": model, "prompt": prompt, "cases": len(scored), **means, "score": score, "usage": spent.to_json()}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None


def _shown(
    model: str, prompt: str, cases: Sequence[Case], given: Sequence[Answer], scored: Sequence[dict[str, float | None]]
) -> list[dict[str, Any]]:
    """Every answer, shortened."""
    return [
        {
            "model": model,
            "prompt": prompt,
            "case": case.name,
            "answer": answer.text[:500],
            **({"error": str(answer.failure)} if answer.failure else {}),
            **{metric: value for metric, value in score.items() if value is not None},
        }
        for case, answer, score in zip(cases, given, scored, strict=True)
    ]


def _table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows for people, in Markdown."""
    head = ["model", "prompt", "cases", *METRICS, "score", "tokens", "cost"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        used = row["usage"]
        cells = [row["model"], row["prompt"], row["cases"], *(row[metric] for metric in METRICS), row["score"]]
        cells += [used["prompt_tokens"] + used["completion_tokens"], used["cost_usd"]]
        lines.append(f"| {' | '.join('–' if cell is None else str(cell).replace('|', '¦') for cell in cells)} |")
    return "\n".join(lines)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
