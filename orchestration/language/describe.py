"""What a tool says about itself (`--describe`), read into one form.

Accepted beside the full form: the short form of the first specification (`binary`, `aliases` as a list, `args_hints`)
and lists where the full form has one list per language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestration.language.packs import LANGUAGES
from orchestration.language.plan import Value

ANY = "*"
"""Language of a word whose language is not told."""

Words = tuple[tuple[str, str], ...]
"""(language, phrase) pairs in the tool's order."""

NUMERIC = ("integer", "number")
_TYPE_NAMES = {"int": "integer", "float": "number", "bool": "boolean", "enum": "string"}
_OUTPUT_TYPES = frozenset(["string", "text", "uuid", "hash", "integer", "number", "boolean", "date", "list", "object"])


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter; `enum` maps each value to the phrases that choose it."""

    name: str
    flag: str
    type: str = "string"
    required: bool = False
    bind: tuple[str, ...] = ()
    enum: tuple[tuple[str, Words], ...] = ()
    enum_open: bool = False
    """Other values than those of `enum` are allowed in the technical layer."""
    slot: str = ""
    """"number" or "text" when a person may write the value itself; then `hints` are the words around it."""
    units: Words = ()
    hints: Words = ()
    minimum: float | None = None
    maximum: float | None = None
    default: Value | None = None

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(value for value, _ in self.enum)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: Mapping[str, str]
    job_types: tuple[str, ...]
    job_type_by: tuple[str, Mapping[str, str]] | None
    aliases: Words
    suggest_for: Words
    former_aliases: Words
    """Verbs it had once: still understood, with a warning that names the verb of today."""
    rank: int | None
    params: tuple[Param, ...]
    outputs: Mapping[str, str]
    result_words: Mapping[str, Words]

    def param(self, name: str) -> Param | None:
        return next((param for param in self.params if param.name == name), None)

    def by_flag(self, flag: str) -> Param | None:
        return next((param for param in self.params if param.flag == flag), None)

    def job_type(self, params: Mapping[str, Value]) -> str:
        """The job type that runs these params; without a mapping the verb is the type."""
        if self.job_type_by is not None:
            name, mapping = self.job_type_by
            chosen = mapping.get(str(params.get(name, "")))
            if chosen:
                return chosen
        return self.job_types[0] if self.job_types else self.name.removeprefix("synops-").replace("-", "_")

    def alias(self, language: str) -> str:
        """The verb that printers use."""
        return first_phrase(self.aliases, language) or self.name


def first_phrase(words: Words, language: str) -> str:
    """The first phrase in `language`, else of a related or unknown language, else any."""
    order = (language, ANY, "nb", "nn", "en") if language != "nn" else ("nn", "nb", ANY, "en")
    for wanted in order:
        for found, phrase in words:
            if found == wanted:
                return phrase
    return ""


def read_tool(data: Mapping[str, Any]) -> Tool:
    """One describe record.

    Raises:
        ValueError: a record without a name, or with a part of the wrong shape; the text names the tool and the part.
    """
    name = str(data.get("name") or data.get("binary") or "")
    if not re.fullmatch(r"synops-[a-z0-9-]+", name):
        raise ValueError(f"a tool is named synops-<verb>, not {name!r}")
    try:
        return _tool(name, data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{name}: cannot read its description: {error!r}") from error


def _tool(name: str, data: Mapping[str, Any]) -> Tool:
    description = data.get("description") or {}
    by = data.get("job_type_by")
    outputs, result_words = _outputs(data.get("outputs") or {}, data.get("output_words") or {})
    return Tool(
        name=name,
        description={"nb": description} if isinstance(description, str) else dict(description),
        job_types=tuple(data.get("job_types") or ()),
        job_type_by=(by["param"], dict(by["values"])) if by else None,
        aliases=_words(data.get("aliases")),
        suggest_for=_words(data.get("suggest_for")),
        former_aliases=_words(data.get("former_aliases")),
        rank=data.get("rank"),
        params=tuple(_param(item) for item in data.get("params") or () if not item.get("by_hand"))
        + _from_args_hints(data),
        outputs=outputs,
        result_words=result_words,
    )


def _words(value: Any) -> Words:
    if value is None:
        return ()
    if isinstance(value, str):
        return ((ANY, value),)
    if isinstance(value, Mapping):
        pairs = [(language, phrase) for language in LANGUAGES for phrase in _listed(value.get(language))]
        return tuple(pairs)
    return tuple((ANY, str(phrase)) for phrase in value)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(item) for item in value or ()]


def _param(item: Mapping[str, Any]) -> Param:
    flag = str(item.get("flag") or "--" + item["name"].replace("_", "-"))
    kind = _TYPE_NAMES.get(str(item.get("type")), str(item.get("type") or "string"))
    slot, units = _slot(item.get("slot"), kind)
    if slot == "number" and kind == "string":
        kind = "number"
    return Param(
        name=str(item.get("name") or flag.removeprefix("--").replace("-", "_")),
        flag=flag,
        type=kind,
        required=bool(item.get("required")),
        bind=tuple(bind.strip("{} ") for bind in _listed(item.get("bind"))),
        enum=_enum(item.get("enum") or {}),
        enum_open=bool(item.get("enum_open")),
        slot=slot,
        units=units,
        hints=_words(item.get("hints")),
        minimum=item.get("minimum"),
        maximum=item.get("maximum"),
        default=item.get("default"),
    )


def _slot(value: Any, kind: str) -> tuple[str, Words]:
    """A slot is null, "number"/"text" (or tall/tekst), true, or {"kind" or "type": …, "units": …}."""
    if not value:
        return "", ()
    by_type = "number" if kind in NUMERIC else "text"
    if isinstance(value, Mapping):
        named = value.get("kind") or value.get("type") or by_type
        return _slot(named, kind)[0], _words(value.get("units") or value.get("unit") or value.get("hints"))
    names = {"tall": "number", "number": "number", "integer": "number", "int": "number", "tekst": "text"}
    return names.get(str(value), "text" if value in ("text", "string") else by_type), ()


def _enum(value: Any) -> tuple[tuple[str, Words], ...]:
    """{value: {language: phrases}}, {phrase: value} (the short form) or a list of values."""
    if not isinstance(value, Mapping):
        return tuple((str(item), ((ANY, str(item)),)) for item in value)
    if any(isinstance(phrases, Mapping | list | tuple) for phrases in value.values()):
        return tuple((str(name), _words(phrases)) for name, phrases in value.items())
    found: dict[str, list[tuple[str, str]]] = {}
    for phrase, name in value.items():
        found.setdefault(str(name), []).append((ANY, str(phrase)))
    return tuple((name, tuple(phrases)) for name, phrases in found.items())


def _from_args_hints(data: Mapping[str, Any]) -> tuple[Param, ...]:
    """{"lydfilen": "{event.cas_hash}", "stor modell": "--model large"}: the flag of a variable is its name."""
    binds: dict[str, list[str]] = {}
    enums: dict[str, dict[str, str]] = {}
    for phrase, target in (data.get("args_hints") or {}).items():
        if target.startswith("--"):
            flag, _, value = target.replace("=", " ", 1).partition(" ")
            enums.setdefault(flag, {})[phrase] = value.strip()
        else:
            binds.setdefault(target.strip("{} "), []).append(phrase)
    return tuple(_bound(bind, phrases) for bind, phrases in binds.items()) + tuple(
        _param({"flag": flag, "enum": values}) for flag, values in enums.items()
    )


def _bound(bind: str, phrases: Iterable[str]) -> Param:
    name = bind.rpartition(".")[2]
    return _param({"name": name, "bind": [bind], "hints": list(phrases), "required": True})


def _outputs(value: Mapping[str, Any], words: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Words]]:
    """{field: type}; in the short form {word: field}."""
    if all(kind in _OUTPUT_TYPES or not isinstance(kind, str) for kind in value.values()):
        fields = {name: kind if isinstance(kind, str) else "any" for name, kind in value.items()}
        return fields, {field: _words(phrases) for field, phrases in words.items()}
    fields, named = {}, dict[str, list[tuple[str, str]]]()
    for word, field in value.items():
        fields[str(field)] = "string"
        named.setdefault(str(field), []).append((ANY, word))
    return fields, {field: tuple(phrases) for field, phrases in named.items()}
