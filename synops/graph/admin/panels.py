"""What the page of a node shows beyond its fields, by kind. The apps above know, and register it in `AppConfig.ready()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from synops.graph.models import Node

Context = Callable[[HttpRequest, Node], Mapping[str, Any] | None]
"""What the template needs; None = nothing to show for this node."""

ANY_KIND = "*"


@dataclass(frozen=True)
class Panel:
    """A part of the page, below the fields."""

    template: str
    context: Context


_panels: dict[str, list[Panel]] = {}


def register(kind: str, panel: Panel) -> None:
    """Show this on the pages of a kind; ANY_KIND on all."""
    if panel not in _panels.setdefault(kind, []):
        _panels[kind].append(panel)


def panels_of(request: HttpRequest, node: Node) -> list[tuple[str, Mapping[str, Any]]]:
    """The templates with their contexts, those of the kind first."""
    found = [*_panels.get(node.node_kind, ()), *_panels.get(ANY_KIND, ())]
    made = [(panel.template, panel.context(request, node)) for panel in found]
    return [(template, context) for template, context in made if context is not None]
