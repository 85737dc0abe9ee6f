"""What an action can be about: the vocabulary, what the trigger gives, what earlier steps have made."""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestration.language.describe import Param, Tool
from orchestration.language.diagnostics import Reporter
from orchestration.language.events import Trigger
from orchestration.language.plan import Value
from orchestration.language.source import Source, Span
from orchestration.language.vocabulary import Vocabulary


@dataclass(slots=True)
class Context:
    source: Source
    vocabulary: Vocabulary
    reporter: Reporter
    trigger: Trigger | None
    """None when the NÅR line failed: then no variable is checked, its absence is no second mistake."""
    number: int = 1
    """The step that is read; its fallbacks share it, the common fallback has one more than the last step."""
    fallback: bool = False
    earlier: dict[int, Tool] = field(default_factory=dict)
    """Tool of each earlier step; a step that failed to compile or makes a work item is absent."""

    def variable(self, param: Param) -> str | None:
        """The first variable `param` binds that the trigger provides."""
        if self.trigger is None:
            return param.bind[0] if param.bind else None
        return next((bind for bind in param.bind if self.provides(bind)), None)

    def provides(self, name: str) -> bool:
        space, _, rest = name.partition(".")
        return space != "event" or self.trigger is None or rest in self.trigger.variables


@dataclass(slots=True)
class Call:
    """A tool call while it is put together."""

    tool: Tool
    alias: str
    params: dict[str, Value] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    """Where each parameter was said; a parameter bound by default has no place."""
    said: list[str] = field(default_factory=list)
    """Parameters whose value, not a variable, the author's words chose."""


def in_order(tool: Tool, params: dict[str, Value]) -> dict[str, Value]:
    """The parameters in the tool's order, so that equal calls are equal text."""
    known = {param.name: params[param.name] for param in tool.params if param.name in params}
    return known | {name: value for name, value in params.items() if name not in known}
