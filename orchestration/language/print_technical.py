"""Plan → technical text, in the one canonical form."""

from __future__ import annotations

import re

from orchestration.language import packs
from orchestration.language.plan import Alternative, Clause, Condition, Plan, Value, WorkItem
from orchestration.language.vocabulary import Vocabulary
from orchestration.language.words import OPENING_QUOTES

_BARE = re.compile(r"^[^\W_][\w./:@%+,=-]*$|^[\w./:@%+,=-]*\{[a-z_]+(\.[a-z0-9_]+)+\}[\w./:@%+,=-]*$")
SUBJECTS = {"has_trait": "samling", "has_media": "node", "has_tag": "node", "node_kind": "node"}
NAMES = {"has_trait": "har_trait", "has_media": "har_media", "has_tag": "har_tag", "node_kind": "er_type"}


def print_technical(plan: Plan, vocabulary: Vocabulary) -> str:
    """The recipe as commands; compiles to the same plan."""
    out = [*remarks(plan, "when"), f"NÅR {trigger(plan)}"]
    out += remarks(plan, "if") + condition_lines(plan.trigger.conditions)
    out.append("")
    for step in plan.steps:
        out += remarks(plan, f"step {step.number}")
        out.append(f"{step.number}. {command(step.alternatives[0], vocabulary)}")
        for index, alternative in enumerate(step.alternatives[1:], 1):
            out += remarks(plan, f"fallback {step.number}.{index}", "   ")
            out.append(f"   VED_FEIL: {command(alternative, vocabulary)}")
    if plan.on_failure:
        out += ["", *remarks(plan, "failure"), f"VED_FEIL: {command(plan.on_failure[0], vocabulary)}"]
    return "\n".join(out + _ending(plan)) + "\n"


def _ending(plan: Plan) -> list[str]:
    found = remarks(plan, "end")
    return ["", *found] if found else []


def remarks(plan: Plan, before: str, indent: str = "") -> list[str]:
    """The comments that stand above something."""
    return [indent + comment.text for comment in plan.comments if comment.before == before]


def trigger(plan: Plan) -> str:
    name = packs.events()[plan.trigger.event].technical
    schedule = plan.trigger.schedule
    return f'{name}("{schedule.cron}", "{schedule.timezone}")' if schedule else name


def condition_lines(clauses: tuple[Clause, ...]) -> list[str]:
    """Plain conditions on one line joined by OG; each choice on a line of its own."""
    plain = [condition(clause[0]) for clause in clauses if len(clause) == 1]
    lines = [f"HVIS {' OG '.join(plain)}"] if plain else []
    return lines + [f"HVIS {' ELLER '.join(map(condition, clause))}" for clause in clauses if len(clause) > 1]


def condition(item: Condition) -> str:
    call = f"{SUBJECTS[item.predicate]}.{NAMES[item.predicate]}({quote(item.value)})"
    return f"IKKE {call}" if item.negated else call


def quote(text: str) -> str:
    """In straight quotes; every character that could close a quotation is escaped."""
    escaped = "".join("\\" + character if character in OPENING_QUOTES + "\\" else character for character in text)
    return f'"{escaped}"'


def command(alternative: Alternative, vocabulary: Vocabulary, only: frozenset[str] | None = None) -> str:
    """The command of one alternative; with `only`, just these parameters are shown."""
    if isinstance(alternative, WorkItem):
        return " ".join(["work_item", quote(alternative.title), *(f"--tag {_value(tag)}" for tag in alternative.tags)])
    tool = vocabulary.tools.get(alternative.tool)
    shown = [alternative.tool]
    for name, value in alternative.params.items():
        param = tool.param(name) if tool else None
        flag = param.flag if param else "--" + name.replace("_", "-")
        if only is None or name in only:
            shown += _flag(flag, value)
    return " ".join(shown)


def _flag(flag: str, value: Value) -> list[str]:
    if value is True:
        return [flag]
    if value is False:
        return [f"{flag}=false"]
    text = _value(value)
    return [f"{flag}={text}"] if text.lstrip('"').startswith("-") else [f"{flag} {text}"]


def _value(value: Value) -> str:
    if not isinstance(value, str):
        return str(value)
    return value if _BARE.match(value) or re.fullmatch(r"-[0-9.]+", value) else quote(value)
