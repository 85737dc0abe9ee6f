"""The system prompt that teaches a model to write recipes: tools, events, conditions, grammar and examples.

Built from the database, so a new tool is in it at once. Deterministic: equal tools and recipes give equal bytes. Bounded:
each list takes a share of the characters and says what it left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from orchestration.drafting.levels import Level, level
from orchestration.language import Plan, Vocabulary, from_json, packs, print_technical
from orchestration.language.describe import Param, Tool
from orchestration.language.print_technical import NAMES, SUBJECTS
from orchestration.language.variables import ERROR_FIELDS
from orchestration.models import Orchestration
from orchestration.vocabulary import database_vocabulary

if TYPE_CHECKING:
    from synops.graph.access import Viewer

DESCRIPTION_CHARACTERS = 160
TOOLS_SHARE = 0.6
"""Of the characters that the fixed text leaves; examples get the rest."""
READ_RECIPES = 200
CLOCK = "clock"

HEAD = """Du er en orkestreringsplanlegger for Synops. Du skriver ett script som gjør det brukeren beskriver.
"""
GRAMMAR = """SCRIPT-GRAMMATIKK:
  NÅR <hendelse>
  HVIS <betingelse> [OG <betingelse>]

  <N>. <verktøy> <argumenter>
     VED_FEIL: <verktøy> <argumenter> | work_item "<tittel>" [--tag <tag>]

  VED_FEIL: work_item "<tittel>" [--tag <tag>]
  Innrykket VED_FEIL hører til steget over. Den siste, uten innrykk og etter en tom linje, gjelder hele scriptet.
  Variabler: {event.<felt>} fra hendelsen, {steps.<N>.<felt>} fra et tidligere steg, {input.<felt>} fra skjemaet til en
  manuell start, {error.<felt>} i VED_FEIL (ERROR_FIELDS). Andre variabler finnes ikke.
  Klokke: NÅR tidspunkt.nådd("<minutt> <time> <dag> <måned> <ukedag>", "Europe/Oslo")
  Sier brukeren ikke når, skriv NÅR manuell.start.
""".replace("ERROR_FIELDS", ", ".join(ERROR_FIELDS))
TAIL = """Bare verktøyene og flaggene i listen finnes. Skriv aldri skallkommandoer.
Svar KUN med et gyldig orkestreringsscript.
"""
DREAM_TAIL = """Skriv aldri skallkommandoer. Finnes det ikke noe verktøy for et steg, skriv steget med navnet som verktøyet
burde ha, synops-<verb>, uten argumenter.
Svar KUN med et orkestreringsscript.
"""


def system_prompt(effort: Level | None = None, *, viewer: Viewer | None = None, dream: bool = False) -> str:
    """The prompt for a level. `viewer` None = the system: examples come from every recipe, else from those they see."""
    chosen = effort or level()
    return build(database_vocabulary(), examples(chosen.examples, viewer), chosen, dream=dream)


def build(words: Vocabulary, plans: Iterable[tuple[str, Plan]], chosen: Level, *, dream: bool = False) -> str:
    """The same from a vocabulary and (title, plan) pairs: pure."""
    fixed = [HEAD, _events(), _conditions(words), GRAMMAR, DREAM_TAIL if dream else TAIL]
    left = chosen.characters - sum(len(part) + 1 for part in fixed)
    tools = _fitting("TILGJENGELIGE VERKTØY:", [tool_text(tool) for tool in words.ranked()], int(left * TOOLS_SHARE))
    shown = [f"# {_line(title)}\n{print_technical(plan, words)}" for title, plan in plans]
    told = _fitting("EKSEMPLER:", shown, left - len(tools) - 2) if shown else ""
    head, events, conditions, grammar, tail = fixed
    return "\n".join(part for part in (head, tools, events, conditions, grammar, told, tail) if part)


def examples(count: int, viewer: Viewer | None) -> list[tuple[str, Plan]]:
    """Recipes to learn from: the shipped ones first, then active ones, then drafts that compile; by title."""
    rows = Orchestration.objects.all() if viewer is None else Orchestration.objects.visible_to(viewer)
    found = list(rows.filter(metadata__has_key="compiled").order_by("title", "id")[:READ_RECIPES])
    found.sort(key=lambda recipe: ("seed" not in recipe.metadata, recipe.state != "active"))
    plans = ((recipe.title, _plan(recipe)) for recipe in found)
    return [(title, plan) for title, plan in plans if plan is not None][:count]


def tool_text(tool: Tool) -> str:
    """Two or three lines about a tool: what it does, its flags, what later steps can use of its result."""
    said = _line(tool.description.get("nb") or tool.description.get("en") or "")[:DESCRIPTION_CHARACTERS]
    lines = [f"- {tool.name}: {said}".rstrip(": "), f"  Bruk: {_usage(tool)}".rstrip()]
    if tool.outputs:
        lines.append(f"  Gir: {', '.join(sorted(tool.outputs))}")
    return "\n".join(lines) + "\n"


def _usage(tool: Tool) -> str:
    return " ".join(_flag(param) for param in sorted(tool.params, key=lambda param: not param.required))


def _flag(param: Param) -> str:
    value = "" if param.type == "boolean" else f" {_value(param)}"
    return f"{param.flag}{value}" if param.required else f"[{param.flag}{value}]"


def _value(param: Param) -> str:
    if param.bind:
        return " eller ".join(f"{{{name}}}" for name in param.bind)
    if param.enum:
        return "|".join([*param.values, *(["…"] if param.enum_open else [])])
    return f"<{param.slot or param.type}>"


def _events() -> str:
    lines = [
        f"- {event.technical}: {', '.join('{event.' + name + '}' for name in event.variables)}"
        for name, event in packs.events().items()
        if name != CLOCK
    ]
    return "\n".join(["HENDELSER, og feltene som hver gir:", *lines, ""])


def _conditions(words: Vocabulary) -> str:
    lines = [f'- {SUBJECTS[name]}.{NAMES[name]}("…")' for name in NAMES]
    traits = ", ".join(sorted(words.traits))[:DESCRIPTION_CHARACTERS]
    known = [f"  I bruk: {_line(traits)}"] if traits else []
    return "\n".join(["BETINGELSER (IKKE foran nekter):", lines[0], *known, *lines[1:], ""])


def _fitting(title: str, texts: Sequence[str], characters: int) -> str:
    """As many as fit, in order, and how many did not."""
    left, kept = characters - len(title) - 40, list[str]()
    for text in texts:
        left -= len(text) + 1
        if left < 0:
            break
        kept.append(text)
    missing = len(texts) - len(kept)
    return "\n".join([title, *kept, *([f"… og {missing} til, som det ikke er plass til her.\n"] if missing else [])])


def _plan(recipe: Orchestration) -> Plan | None:
    try:
        return from_json(recipe.compiled or {})
    except ValueError:
        return None


def _line(text: str) -> str:
    """On one line, whatever a title or description holds: a line of its own could pass for an instruction."""
    return " ".join(text.split())
