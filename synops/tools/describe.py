"""What a tool says about itself: the answer to `--describe`, as typed records and as JSON.

Our own tools write a Description and print it; `sync_tools`, the worker and the recipe compiler read any tool's JSON
back with `Description.from_json`, which is strict about types and generous about what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

Text: TypeAlias = Mapping[str, str]
"""A sentence per language: {"nb": …, "en": …}."""
Words: TypeAlias = Mapping[str, tuple[str, ...]]
"""Words per language, as recipes use them: {"nb": ("lydfil", …), "nn": …, "en": …}."""

# Named tuples and not dataclasses: those import `inspect`, a quarter of the 100 ms that `--describe` may take.
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

TYPES: Final = ("hash", "uuid", "string", "text", "integer", "number", "boolean", "date")
DATABASE: Final = ("none", "read", "write")
EXIT_CODES: Final = ("plain", "sysexits")

_TOOL_NAME = re.compile(r"synops-[a-z0-9]+(-[a-z0-9]+)*")
_PARAM_NAME = re.compile(r"[a-z][a-z0-9_]*")
# The contract's own flags; a param of this name could never be reached.
RESERVED: Final = frozenset({"describe", "help", "version", "payload_json", "write"})


class InvalidDescription(ValueError):
    """A description that breaks the contract; `problems` holds one sentence for each mistake."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Param(NamedTuple):
    """One key of the payload and the flag that carries it."""

    name: str
    type: str
    description: Text = NOTHING
    required: bool = False
    bind: tuple[str, ...] = ()
    """Variables that fill it when the recipe does not name it: the first that the trigger provides wins."""
    enum: Mapping[str, Words] | None = None
    """Values, each with the words that mean it in a recipe."""
    enum_open: bool = False
    """Other values than those of `enum` are allowed too (the name of a local model)."""
    slot: Mapping[str, Any] | None = None
    """Free text or a number in a recipe may fill it: {"kind": "text" | "number"}."""
    hints: Words = NOTHING
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    by_hand: bool = False
    """For a person at a shell only (a path on this machine): refused in a payload, so no recipe can reach it."""

    @property
    def flag(self) -> str:
        """The flag of this key: `cas_hash` → `--cas-hash`."""
        return "--" + self.name.replace("_", "-")

    def to_json(self) -> dict[str, Any]:
        """The JSON form; rare keys appear only when they say something."""
        always: dict[str, Any] = {
            "name": self.name,
            "flag": self.flag,
            "type": self.type,
            "required": self.required,
            "bind": list(self.bind),
            "enum": None if self.enum is None else {value: _lists(words) for value, words in self.enum.items()},
            "slot": None if self.slot is None else dict(self.slot),
            "hints": _lists(self.hints),
            "default": self.default,
            "description": dict(self.description),
        }
        rare = {"enum_open": self.enum_open, "by_hand": self.by_hand}
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        return (
            always
            | {key: True for key, value in rare.items() if value}
            | {key: value for key, value in limits.items() if value is not None}
        )


class Description(NamedTuple):
    """Everything that the rest of the system knows about a tool."""

    name: str
    version: str
    description: Text
    job_types: tuple[str, ...] = ()
    """The job types it serves. Empty = the part of the name after `synops-`, with underscores."""
    job_type_by: Mapping[str, Any] | None = None
    """Which job type a call is, where there are several: {"param": "target", "values": {"index": "render_index"}}."""
    params: tuple[Param, ...] = ()
    aliases: Words = NOTHING
    suggest_for: Words = NOTHING
    former_aliases: Words = NOTHING
    """Verbs it had once. Recipes with them still compile, with a warning that names the verb of today."""
    rank: int | None = None
    outputs: Mapping[str, str] = NOTHING
    output_words: Mapping[str, Words] = NOTHING
    """Words by which a later step of a recipe means an output: {"summary_node_id": {"nb": ("sammendrag",)}}."""
    weight: int = 1
    timeout: int = 600
    database: str = "none"
    preload: bool = False
    settings: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    exit_codes: str = "plain"
    network: bool = False
    examples: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Of the name alone: mappings have none."""
        return hash(self.name)

    def param(self, name: str) -> Param | None:
        """The param of this name."""
        return next((param for param in self.params if param.name == name), None)

    def job_type(self, payload: Mapping[str, Any]) -> str:
        """The job type of a call with this payload: by `job_type_by`, else the first, else from the verb."""
        if self.job_type_by:
            chosen = self.job_type_by.get("values", {}).get(payload.get(self.job_type_by.get("param", "")))
            if chosen:
                return str(chosen)
        return self.job_types[0] if self.job_types else self.name.removeprefix("synops-").replace("-", "_")

    def to_json(self) -> dict[str, Any]:
        """The document that `--describe` prints."""
        return {
            "name": self.name,
            "version": self.version,
            "description": dict(self.description),
            "job_types": list(self.job_types or (self.job_type({}),)),
            "job_type_by": None if self.job_type_by is None else dict(self.job_type_by),
            "aliases": _lists(self.aliases),
            "suggest_for": _lists(self.suggest_for),
            **({"former_aliases": _lists(self.former_aliases)} if self.former_aliases else {}),
            "rank": self.rank,
            "params": [param.to_json() for param in self.params],
            "outputs": dict(self.outputs),
            "output_words": {name: _lists(words) for name, words in self.output_words.items()},
            "weight": self.weight,
            "timeout": self.timeout,
            "database": self.database,
            "preload": self.preload,
            "settings": list(self.settings),
            "secrets": list(self.secrets),
            "exit_codes": self.exit_codes,
            "network": self.network,
            "examples": list(self.examples),
        }

    @classmethod
    def from_json(cls, document: Any) -> Description:
        """Read what a tool printed. Keys that are absent have their defaults, unknown keys are ignored.

        Only `name` is required. Raises InvalidDescription with every problem found.
        """
        from synops.tools.reading import read_description

        return read_description(document)


def problems(description: Description) -> list[str]:
    """What is wrong with a description although every type is right: names, values, and references between keys."""
    found = []
    if not _TOOL_NAME.fullmatch(description.name):
        found.append(f'name "{description.name}" must be synops-<verb> in lower case')
    if description.database not in DATABASE:
        found.append(f'database "{description.database}" must be one of {", ".join(DATABASE)}')
    if description.exit_codes not in EXIT_CODES:
        found.append(f'exit_codes "{description.exit_codes}" must be one of {", ".join(EXIT_CODES)}')
    if not 0 <= description.weight <= 100:
        found.append(f"weight {description.weight} must be 0 to 100")
    if description.timeout < 0:
        found.append(f"timeout {description.timeout} must be a number of seconds, or 0 for the default")
    names = [param.name for param in description.params]
    found += [f'param "{name}" is described twice' for name in sorted(set(names)) if names.count(name) > 1]
    for param in description.params:
        found += _param_problems(param)
    chooser = (description.job_type_by or {}).get("param")
    if chooser is not None and chooser not in names:
        found.append(f'job_type_by names the param "{chooser}", which is not described')
    return found


def _param_problems(param: Param) -> list[str]:
    found = []
    if not _PARAM_NAME.fullmatch(param.name) or param.name in RESERVED:
        found.append(f'param name "{param.name}" must be snake_case and none of {", ".join(sorted(RESERVED))}')
    if param.type not in TYPES:
        found.append(f'param "{param.name}" has the unknown type "{param.type}"; known are {", ".join(TYPES)}')
    if param.type == "boolean" and param.default is True:
        # A boolean is given by its flag alone, so nothing could turn it off again.
        found.append(f'param "{param.name}" is a boolean and can\'t have the default true')
    if param.by_hand and (param.required or param.bind):
        found.append(f'param "{param.name}" is for use by hand and can\'t be required or bound')
    return found


def _lists(words: Words) -> dict[str, list[str]]:
    return {language: list(some) for language, some in words.items()}
