"""Plan → human text, in the one canonical form of each language.

Every phrase is read back before it is printed: what the language cannot say so that it means the same is printed as
a raw step ("teknisk: …"). So compiling what is printed always gives the plan that was printed.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestration.language import actions, clock_phrases, conditions, packs
from orchestration.language import events as event_phrases
from orchestration.language.context import Context
from orchestration.language.describe import NUMERIC, Param, Tool, first_phrase
from orchestration.language.diagnostics import Reporter
from orchestration.language.events import Trigger
from orchestration.language.messages import severities
from orchestration.language.plan import Alternative, Clause, Condition, Plan, ToolCall, Value, WorkItem
from orchestration.language.plan import Trigger as PlanTrigger
from orchestration.language.print_technical import command, quote, remarks
from orchestration.language.print_technical import condition as technical_condition
from orchestration.language.print_technical import trigger as technical_trigger
from orchestration.language.source import Source, Span
from orchestration.language.tree import Action, Header
from orchestration.language.vocabulary import Vocabulary
from orchestration.language.words import tokenize


def print_human(plan: Plan, vocabulary: Vocabulary, lang: str = "nb") -> str:
    """The recipe as an author of `lang` (nb, nn, en) would write it; compiles to the same plan."""
    return _Printer(plan, vocabulary, lang).run()


def print_conditions(clauses: tuple[Clause, ...], event: str, vocabulary: Vocabulary, lang: str = "nb") -> str:
    """Conditions as one would write them behind an event, without the keyword: "samling har podcast OG lyd"."""
    printer = _Printer(Plan(PlanTrigger(event, clauses), ()), vocabulary, lang)
    return f" {printer.words['and']} ".join(line.partition(" ")[2] for line in printer._conditions())


class _Printer:
    def __init__(self, plan: Plan, vocabulary: Vocabulary, lang: str) -> None:
        self.plan = plan
        self.vocabulary = vocabulary
        self.lang = lang
        self.words = packs.printing(lang)
        trigger = Trigger(plan.trigger.event, (), plan.trigger.schedule)
        self.context = Context(Source(""), vocabulary, Reporter(severities()), trigger)

    def run(self) -> str:
        plan = self.plan
        out = [*remarks(plan, "when"), f"{self.words['when']} {self._trigger()}"]
        out += [*remarks(plan, "if"), *self._conditions(), ""]
        for step in plan.steps:
            out += self._step(step.number, step.alternatives)
        if plan.on_failure:
            self.context.number, self.context.fallback = len(plan.steps) + 1, True
            out += ["", *remarks(plan, "failure"), f"{self.words['on_error']} {self._action(plan.on_failure[0])}"]
        ending = remarks(plan, "end")
        return "\n".join([*out, *([""] if ending else []), *ending]) + "\n"

    def _step(self, number: int, alternatives: tuple[Alternative, ...]) -> list[str]:
        self.context.number, self.context.fallback = number, False
        out = [*remarks(self.plan, f"step {number}"), f"{number}. {self._action(alternatives[0])}"]
        self.context.fallback = True
        for index, alternative in enumerate(alternatives[1:], 1):
            out += remarks(self.plan, f"fallback {number}.{index}", "   ")
            out.append(f"   {self.words['on_error']} {self._action(alternative)}")
        first = alternatives[0]
        if isinstance(first, ToolCall) and first.tool in self.vocabulary.tools:
            self.context.earlier[number] = self.vocabulary.tools[first.tool]
        return out

    # The header

    def _trigger(self) -> str:
        schedule = self.plan.trigger.schedule
        said = (
            clock_phrases.describe(schedule, self.lang) if schedule else self.words["events"][self.plan.trigger.event]
        )
        if said is None or not self._means_trigger(said):
            return technical_trigger(self.plan)
        return str(said)

    def _means_trigger(self, said: str) -> bool:
        trigger = event_phrases.resolve(tokenize(said, 1), Span(1, 0, 0), Reporter(severities()))
        return trigger == Trigger(self.plan.trigger.event, (), self.plan.trigger.schedule)

    def _conditions(self) -> list[str]:
        plain = tuple(clause for clause in self.plan.trigger.conditions if len(clause) == 1)
        lines = [self._condition_line(plain, self.words["and"])] if plain else []
        choices = [clause for clause in self.plan.trigger.conditions if len(clause) > 1]
        return lines + [self._condition_line(tuple((item,) for item in clause), self.words["or"]) for clause in choices]

    def _condition_line(self, clauses: tuple[Clause, ...], joiner: str) -> str:
        parts: list[str] = []
        previous: Condition | None = None
        for (item,) in clauses:
            parts.append(self._condition(item, previous))
            previous = item
        return f"{self.words['if']} {f' {joiner} '.join(parts)}"

    def _condition(self, item: Condition, previous: Condition | None) -> str:
        full = self._full_condition(item)
        if full is None or not self._means((item,), full):
            return technical_condition(item)
        short = self._carried(item, previous)
        return short or full

    def _carried(self, item: Condition, previous: Condition | None) -> str:
        """ "samling har podcast OG lyd": the verb carries over."""
        have = ("has_trait", "has_media")
        if previous is None or previous.negated or item.negated or {item.predicate, previous.predicate} - set(have):
            return ""
        value, before = self._value(item), self._full_condition(previous)
        if (
            value is None
            or before is None
            or not self._means((previous, item), f"{before} {self.words['and']} {value}")
        ):
            return ""
        return value

    def _full_condition(self, item: Condition) -> str | None:
        name = item.predicate
        if name == "has_media" and self.plan.trigger.event == "communication.ended":
            name = "has_media_recording"
        stem = self.words["conditions"][name][int(item.negated)]
        value = quote(item.value) if item.predicate == "has_tag" else self._value(item)
        return f"{stem} {value}" if value is not None else None

    def _value(self, item: Condition) -> str | None:
        values = packs.raw_pack(self.lang)["conditions"].get(item.predicate, {})
        if item.value in values:
            return str(values[item.value][0])
        return item.value if item.value in self.vocabulary.traits else None

    def _means(self, items: tuple[Condition, ...], said: str) -> bool:
        tokens = tokenize(said, 1)
        reporter = Reporter(severities())
        found = conditions.resolve(Header(tokens[0], tokens, Span(1, 0, len(said))), self.vocabulary.traits, reporter)
        return not reporter.found and found == [(item,) for item in items]

    # Steps

    def _action(self, alternative: Alternative) -> str:
        for said in self._phrases(alternative):
            if self._means_action(said, alternative):
                return said
        return f"{self.words['raw']} {command(alternative, self.vocabulary)}"

    def _means_action(self, said: str, alternative: Alternative) -> bool:
        reporter = Reporter(severities())
        context = Context(
            Source(said),
            self.vocabulary,
            reporter,
            self.context.trigger,
            self.context.number,
            self.context.fallback,
            self.context.earlier,
        )
        found, _ = actions.resolve(Action(Span(1, 0, len(said)), tokenize(said, 1)), context)
        return found == alternative and not reporter.found

    def _phrases(self, alternative: Alternative) -> Iterator[str]:
        """What may say it, the canonical form first."""
        if isinstance(alternative, WorkItem):
            tags = f" ({', '.join(alternative.tags)})" if alternative.tags else ""
            yield f"{self.words['work_item']} {quote(alternative.title)}{tags}"
            return
        tool = self.vocabulary.tools.get(alternative.tool)
        if tool is None:
            return
        for alias in self._aliases(tool):
            for thing, used in self._objects(tool, alias, alternative):
                yield " ".join(filter(None, [alias, thing, self._rest(tool, alternative, used)]))

    def _aliases(self, tool: Tool) -> list[str]:
        first = tool.alias(self.lang)
        same = [phrase for language, phrase in tool.aliases if language == self.lang]
        return list(dict.fromkeys([first, *same]))[:4]

    def _objects(self, tool: Tool, alias: str, call: ToolCall) -> Iterator[tuple[str, str]]:
        """(object phrase, parameter it says); none first where the verb phrase names its thing already."""
        param = next(
            (item for item in tool.params if item.name in call.params and (item.bind or _is_object(item))), None
        )
        if param is None:
            yield "", ""
            return
        words = alias.split()
        complete = len(words) > 1 and words[-1] not in packs.word_set("particles")
        if complete:
            yield "", param.name
        for said in self._object(param, call.params[param.name], tool):
            yield said, param.name
        if not complete:
            yield "", param.name

    def _object(self, param: Param, value: Value, tool: Tool) -> Iterator[str]:
        if not param.bind:
            yield self._definite(first_phrase(dict(param.enum).get(str(value), ()), self.lang))
            return
        space, _, name = str(value).strip("{}").partition(".")
        if space == "event":
            yield self._definite(first_phrase(param.hints, self.lang))
            return
        yield from self._result(param, name.rpartition(".")[2])
        if space == "steps":
            yield f"{self.words['result']} {name.split('.')[0]}"

    def _definite(self, phrase: str) -> str:
        return str(self.words["definite"].get(phrase, phrase))

    def _result(self, param: Param, field: str) -> Iterator[str]:
        printed = self.words["results"].get(field)
        if printed:
            yield str(printed)
        for tool in self.vocabulary.tools.values():
            if field in tool.result_words:
                yield self._definite(first_phrase(tool.result_words[field], self.lang))
        if field == param.name:
            yield self._definite(first_phrase(param.hints, self.lang))
            yield str(self.words["new_audio"])

    def _rest(self, tool: Tool, call: ToolCall, used: str) -> str:
        """What stands in brackets, in the tool's order, and a quoted text before them."""
        parts: list[str] = []
        text = ""
        texts = [param for param in tool.params if param.slot == "text"]
        for param in tool.params:
            if param.name not in call.params or param.name == used:
                continue
            value = call.params[param.name]
            if param.bind and str(value).strip("{}") in param.bind:
                continue  # the event gives it: nobody says so
            if param.slot == "text" and len(texts) == 1:
                text = quote(str(value))
            else:
                parts.append(self._argument(param, value))
        return " ".join(filter(None, [text, f"({', '.join(parts)})" if parts else ""]))

    def _argument(self, param: Param, value: Value) -> str:
        if param.enum:
            return first_phrase(dict(param.enum).get(str(value), ()), self.lang) or str(value)
        words = first_phrase(param.units or param.hints, self.lang)
        if param.type in NUMERIC or (isinstance(value, int | float) and not isinstance(value, bool)):
            number = str(value) if self.lang == "en" else str(value).replace(".", ",")
            return f"{number} {words}".strip()
        if isinstance(value, bool):
            return words
        return f"{words} {quote(str(value))}".strip()


def _is_object(param: Param) -> bool:
    """ "varsle deltakerne": a required choice is what the verb acts on."""
    return param.required and bool(param.enum)
