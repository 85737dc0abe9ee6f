"""How many sentences and recipes of a file are understood as their author says; `python -m` prints the misses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import yaml

from orchestration.language import Compilation, ToolCall, WorkItem, compile_recipe, to_json
from tests.orchestration.language.stand_in import DATA, vocabulary

#: Not understood as meant, and why that is left so.
MISSED = {"les sammendraget høyt opp": "no tool has «les høyt» among its verbs; the word is reported as unused"}
PHRASES = {
    "communication.ended": "innspilling avsluttet",
    "node.created": "node opprettet",
    "node.published": "node publisert",
    "edge.created": "kobling opprettet",
    "cascade": "oppskriften er fullført",
}


def read(name: str) -> Any:
    return yaml.safe_load((DATA / "language" / name).read_text(encoding="utf-8"))


def found_codes(compilation: Compilation) -> list[str]:
    return [item.code for item in compilation.diagnostics if item.severity != "info"]


def sentences() -> Iterator[tuple[str, object, object]]:
    """(sentence, expected, found) for each."""
    data = read("sentences.yaml")
    for said, event in data["events"]:
        yield said, event, _event(f'NÅR {said}\n1. opprett oppgave "x"')
    for said, cron in data["clocks"]:
        yield said, cron, _cron(f'NÅR {said}\n1. opprett oppgave "x"')
    for said, wanted in data["conditions"]:
        yield said, wanted, _conditions(f'NÅR innspilling avsluttet\nHVIS {said}\n1. opprett oppgave "x"')
    for item in data["steps"]:
        yield item["say"], _wanted(item), _step(item)


def _event(text: str) -> object:
    compilation = compile_recipe(text, vocabulary())
    return compilation.plan.trigger.event if compilation.plan else found_codes(compilation)


def _cron(text: str) -> object:
    compilation = compile_recipe(text, vocabulary())
    if compilation.plan is None:
        return found_codes(compilation)[0]
    schedule = compilation.plan.trigger.schedule
    return schedule.cron if schedule else compilation.plan.trigger.event


def _conditions(text: str) -> object:
    compilation = compile_recipe(text, vocabulary())
    return to_json(compilation.plan)["trigger"]["conditions"] if compilation.plan else found_codes(compilation)


def _wanted(item: dict[str, Any]) -> object:
    if "code" in item:
        return [item["code"]]
    if "work_item" in item:
        return {"work_item": item["work_item"]}
    return item["tool"], item.get("params", {})


def _step(item: dict[str, Any]) -> object:
    """The last step: its tool, and those of its params that are no plain variables of the event."""
    steps = [*item.get("before", []), item["say"]]
    header = f"NÅR {PHRASES[item.get('on', 'communication.ended')]}"
    text = "\n".join([header, *(f"{number}. {said}" for number, said in enumerate(steps, 1))])
    compilation = compile_recipe(text, vocabulary())
    if compilation.plan is None:
        return [item.code for item in compilation.errors]
    last = compilation.plan.steps[-1].alternatives[0]
    if isinstance(last, WorkItem):
        return last.to_json()
    assert isinstance(last, ToolCall)
    said = {name: value for name, value in last.params.items() if not str(value).startswith("{event.")}
    left = found_codes(compilation)
    return (last.tool, said) if "ORK-410" not in left else (last.tool, said, left)


def recipes() -> Iterator[tuple[str, object, object]]:
    for item in read("recipes.yaml"):
        compilation = compile_recipe(item["src"], vocabulary())
        yield item["id"], _expected(item), _found(item, compilation)


def _expected(item: dict[str, Any]) -> dict[str, Any]:
    return {key: item[key] for key in ("event", "conditions", "cron", "tools", "codes") if key in item}


def _found(item: dict[str, Any], compilation: Compilation) -> dict[str, Any]:
    found: dict[str, Any] = {"codes": found_codes(compilation)}
    if compilation.plan is not None:
        compiled = to_json(compilation.plan)
        schedule = compiled["trigger"]["schedule"] or {}
        firsts = [step["alternatives"][0] for step in compiled["steps"]]
        found |= {
            "event": compiled["trigger"]["event"],
            "conditions": compiled["trigger"]["conditions"],
            "cron": schedule.get("cron"),
            "tools": [first.get("tool", "work_item") for first in firsts],
        }
    return {key: found.get(key) for key in _expected(item)}


def main() -> None:
    for name, rows in (("sentences", list(sentences())), ("recipes", list(recipes()))):
        right = sum(wanted == found for _, wanted, found in rows)
        print(f"{name}: {right} of {len(rows)}")
        for said, wanted, found in rows:
            if wanted != found and "-v" in sys.argv:
                print(f"  {said}\n    wanted {wanted}\n    found  {found}")


if __name__ == "__main__":
    main()
