"""synops-evaluate: a rule set put to a case's facts; each rule with its verdict, its evidence and its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synops.llm.names import SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.tools.call import Call
    from synops.tools.rules.case_data import CaseData
    from synops.tools.rules.rule_sets import RuleSet
    from synops.tools.rules.verdicts import Judged

MOST_SHOWN = 200
"""Verdicts in the result; a case with 10,000 documents would make it larger than a result may be. All are stored."""

DESCRIPTION = Description(
    name="synops-evaluate",
    version="0.1.0",
    description={
        "nb": "Vurderer en sak mot et regelsett: hver regel med utfall, belegg og dokument.",
        "en": "Puts a rule set to a case: each rule with its verdict, evidence and document.",
    },
    job_types=("case_evaluate", "case_evaluate_bulk"),
    aliases={"nb": ("vurder saken",), "nn": ("vurder saka",), "en": ("evaluate the case",)},
    params=(
        Param(
            name="case_number",
            type="string",
            description={"nb": "Saken i replikaen.", "en": "The case in the replica."},
        ),
        Param(
            name="generation",
            type="integer",
            minimum=0,
            default=0,
            description={
                "nb": "Kjøringen som resultatet hører til.",
                "en": "The run of the case that the result belongs to.",
            },
        ),
        Param(
            name="rule_set",
            type="string",
            description={
                "nb": "Regelsettet med versjon; ellers det som låsefilen nevner for sakens virkemiddel.",
                "en": "The rule set and its version; else what the lock file names for the case's scheme.",
            },
        ),
        Param(
            name="path",
            type="string",
            by_hand=True,
            description={
                "nb": 'En fil med {"case": {…}, "documents": [{"id", "name", "kind", "facts"}]}.',
                "en": 'A file with {"case": {…}, "documents": [{"id", "name", "kind", "facts"}]} instead of a case.',
            },
        ),
        Param(
            name="rule_seconds",
            type="number",
            minimum=0.01,
            maximum=600,
            default=10,
            description={
                "nb": "Så lenge kan én regel holde på med ett dokument.",
                "en": "What one rule may take on one document.",
            },
        ),
    ),
    outputs={"decision": "string", "rule_set": "string", "counts": "object", "verdicts": "list", "omitted": "integer"},
    settings=("STORE_DIR", "CASES_DIR", "PIPELINE_LLM_MAX_CONCURRENT", *SETTINGS),
    secrets=SECRETS,
    database="write",
    preload=True,
    timeout=600,
    exit_codes="sysexits",
    examples=(
        "synops-evaluate --path=case.json --rule-set=heat-pump@1",
        "synops-evaluate --case-number=2026/104 | jq .decision",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Read the case, evaluate every rule, and under `--write` store one evaluation for the run."""
    from synops.store.locations import cases_dir
    from synops.tools.rules.evaluating import evaluate
    from synops.tools.rules.rule_sets import load_rule_set
    from synops.tools.rules.verdicts import counts, decide

    data = _data(call)
    rules = load_rule_set(cases_dir(call.environ), _rule_set(call, data))
    judged = evaluate(call, rules, data, call.payload["rule_seconds"])
    if call.write:
        _store(call, rules, judged)
    shown = [one.to_json() for one in judged[:MOST_SHOWN]]
    return {
        "decision": decide(judged).value,
        "rule_set": rules.name,
        "counts": counts(judged),
        "verdicts": shown,
        "omitted": len(judged) - len(shown),
    }


def _data(call: Call) -> CaseData:
    """The case from the replica, or by hand from a file. Raises BadUsage, NoInput, BadInput."""
    from synops.tools.failures import BadUsage, NoInput

    number, path = call.payload["case_number"], call.payload["path"]
    if bool(number) == bool(path):
        raise BadUsage("name one case: --case-number, or by hand --path")
    if path:
        if call.write:
            raise BadUsage("--write stores verdicts of a case in the replica; name it with --case-number")
        return _from_file(path)
    from synops.store.cases.rows import UnknownCase, case_data
    from synops.tools.database import reading

    with reading(call) as cur:
        try:
            case, documents = case_data(cur, number)
        except UnknownCase as error:
            raise NoInput(str(error)) from error
    return _case_data(case, documents)


def _from_file(path: str) -> CaseData:
    import json
    from pathlib import Path

    from synops.tools.failures import BadInput, NoInput

    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        return _case_data(document["case"], document["documents"])
    except OSError as error:
        raise NoInput(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f'{path} must hold {{"case": {{…}}, "documents": […]}}: {type(error).__name__} {error}'
        ) from error


def _case_data(case: dict[str, Any], documents: list[dict[str, Any]]) -> CaseData:
    from synops.tools.rules.case_data import CaseData, Document

    return CaseData(
        dict(case),
        [
            Document(str(one["id"]), str(one["name"]), str(one["kind"]), dict(one["facts"]), one.get("text_hash"))
            for one in documents
        ],
    )


def _rule_set(call: Call, data: CaseData) -> str:
    """The rule set asked for, or the lock file's for the scheme. Raises NotConfigured when the scheme has none."""
    from synops.store.locations import cases_dir
    from synops.tools.case_lock import analyzers_of

    if asked := call.payload["rule_set"]:
        return str(asked)
    return analyzers_of(cases_dir(call.environ), str(data.case.get("scheme", ""))).rule_set


def _store(call: Call, rules: RuleSet, judged: list[Judged]) -> None:
    from synops.store.cases.verdicts import store_evaluation
    from synops.tools.database import writing
    from synops.tools.rules.verdicts import decide

    call.progress(0.95, f"storing {len(judged)} verdicts")
    with writing(call) as cur:
        store_evaluation(
            cur,
            call.payload["case_number"],
            call.payload["generation"],
            rules.name,
            decide(judged).value,
            [one.to_json() for one in judged],
        )


def warm_up() -> None:
    """What `work` imports, for a launcher that forks (docs/tool-contract.md)."""
    import psycopg  # noqa: F401

    import synops.store.cases.rows
    import synops.store.cases.verdicts
    import synops.tools.case_lock
    import synops.tools.database
    import synops.tools.rules.case_data
    import synops.tools.rules.evaluating
    import synops.tools.rules.rule_sets  # noqa: F401


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
