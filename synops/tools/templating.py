"""From a site and its articles to pages: our templates, the themes' styles, and a collection's own templates in a sandbox.

A collection's own templates may replace or extend ours ({% extends "base.html" %}): `article`, `index`, `base`, and
`style` for CSS behind the theme's. Everything is escaped but an article's body, which is clean HTML already.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any, Final
from zoneinfo import ZoneInfo

from jinja2 import BaseLoader, ChoiceLoader, DictLoader, StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from synops.tools.failures import BadInput, BadUsage

DEFAULT_THEME: Final = "plain"
THEMES: Final = ("plain", "paper", "bold")
PAGES: Final = ("base", "article", "index")
STYLE: Final = "style"
MONTHS: Final = {
    "nb": "januar februar mars april mai juni juli august september oktober november desember",
    "en": "January February March April May June July August September October November December",
}
WORDS: Final[dict[str, dict[str, str]]] = {
    "nb": {
        "skip": "Gå til innholdet",
        "by": "Av",
        "listen": "Lytt til saken",
        "topics": "Emner",
        "all": "Alle saker",
        "page": "side",
        "pages": "Sider",
        "newer": "Nyere saker",
        "older": "Eldre saker",
        "empty": "Ingenting er publisert ennå.",
    },
    "nn": {
        "skip": "Gå til innhaldet",
        "by": "Av",
        "listen": "Lytt til saka",
        "topics": "Emne",
        "all": "Alle saker",
        "page": "side",
        "pages": "Sider",
        "newer": "Nyare saker",
        "older": "Eldre saker",
        "empty": "Ingenting er publisert enno.",
    },
    "en": {
        "skip": "Skip to the content",
        "by": "By",
        "listen": "Listen to this article",
        "topics": "Topics",
        "all": "All articles",
        "page": "page",
        "pages": "Pages",
        "newer": "Newer articles",
        "older": "Older articles",
        "empty": "Nothing has been published yet.",
    },
}


class Templates:
    """The templates of one collection. `own` are those from its metadata; times are shown in `zone`."""

    def __init__(self, language: str, zone: ZoneInfo, own: Mapping[str, str]) -> None:
        self.own = own
        self._language = language if language in WORDS else "en"
        self._zone = zone
        self._environment = ImmutableSandboxedEnvironment(
            loader=_loader(own), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._environment.globals.update(words=WORDS[self._language], date=self.date)

    def page(self, name: str, **values: Any) -> bytes:
        """The page `article` or `index`. Raises BadInput for a template of the collection's own that does not work."""
        try:
            return (self._environment.get_template(f"{name}.html").render(values).strip() + "\n").encode()
        except TemplateSyntaxError as error:
            raise BadInput(f"{_whose(error.name)} has an error in line {error.lineno}: {error.message}") from error
        except TemplateError as error:
            raise BadInput(f'the collection\'s template for "{name}" does not work: {error.message}') from error
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:
            raise BadInput(f'the collection\'s template for "{name}" does not work: {error}') from error

    def style(self, theme: str) -> Markup:
        """The theme's CSS with the collection's own behind it, as it stands between <style> and </style>."""
        own = self.own.get(STYLE, "")
        if "<" in own:
            raise BadInput('the collection\'s template "style" is CSS; it can\'t hold the character "<"')
        styles = [css(DEFAULT_THEME), *([css(theme)] if theme != DEFAULT_THEME else []), own]
        return Markup("\n".join(filter(None, (style.strip() for style in styles))))  # noqa: S704 ours, and without "<"

    def date(self, moment: datetime) -> str:
        """A day as people write it."""
        day = moment.astimezone(self._zone)
        month = MONTHS["en" if self._language == "en" else "nb"].split()[day.month - 1]
        return f"{day.day} {month} {day.year}" if self._language == "en" else f"{day.day}. {month} {day.year}"


@cache
def css(theme: str) -> str:
    """A theme's CSS. Raises BadUsage for one that there isn't."""
    if theme not in THEMES:
        raise BadUsage(f'there is no theme "{theme}"; there are {", ".join(THEMES)}')
    return resources.files("synops.tools.themes").joinpath(f"{theme}.css").read_text(encoding="utf-8")


def _loader(own: Mapping[str, str]) -> BaseLoader:
    shipped = {
        f"{name}.html": resources.files("synops.tools.pages").joinpath(f"{name}.html").read_text(encoding="utf-8")
        for name in PAGES
    }
    replaced = {f"{name}.html": own[name] for name in PAGES if name in own}
    # Ours are reachable below "synops/", so that an own article.html can extend the one that it replaces.
    below = {f"synops/{name}": text for name, text in shipped.items()}
    return ChoiceLoader([DictLoader(replaced), DictLoader(shipped), DictLoader(below)])


def _whose(name: str | None) -> str:
    return f'the collection\'s template "{(name or "?").removesuffix(".html")}"'
