"""The tree: what stands where in a recipe, before any word has been looked up."""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestration.language.source import Span
from orchestration.language.words import Token


@dataclass(slots=True)
class Header:
    """A NÅR or HVIS line, or the part of a line after its keyword."""

    keyword: Token
    tokens: list[Token]
    span: Span
    negated: bool = False
    """True for "med mindre", "unless"."""


@dataclass(slots=True)
class Action:
    """What a step or a fallback says: a phrase of the human layer, or a command when `command` is set."""

    span: Span
    tokens: list[Token]
    command: bool = False
    more: list[Span] = field(default_factory=list)
    """Continuation lines of a command."""


@dataclass(slots=True)
class Fallback:
    line: int
    action: Action
    number: int = 0


@dataclass(slots=True)
class Step:
    line: int
    written_number: int | None
    action: Action
    fallbacks: list[Fallback] = field(default_factory=list)


@dataclass(slots=True)
class Remark:
    """A comment line and what it stands above, in the words of `plan.Comment`."""

    text: str
    before: str = "end"


@dataclass(slots=True)
class Recipe:
    when: Header | None = None
    conditions: list[Header] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    failure: Fallback | None = None
    remarks: list[Remark] = field(default_factory=list)
