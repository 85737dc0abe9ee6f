"""“Why didn't it run?” on a node: what happened to it lately, and what each recipe that waits for such events made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from orchestration import why
from orchestration.language import Vocabulary, print_conditions
from orchestration.language.editing import event_in_words
from orchestration.models import Orchestration, Run
from orchestration.vocabulary import database_vocabulary
from synops.graph.admin.bases import viewer
from synops.graph.models import GraphEvent, Node

MAY_READ = ("orchestration.view_orchestration", "orchestration.view_run")
ASKED_ABOUT = ("communication", "content", "article", "media")
"""Kinds whose page says it also when nothing has happened: people come here to ask."""


@dataclass(frozen=True)
class Line:
    """What one recipe made of the event: its run, or a sentence."""

    recipe: Orchestration
    run: Run | None
    reason: str


def happened(request: HttpRequest, node: Node) -> Mapping[str, Any] | None:
    """The events, newest first, for people who may see recipes and runs."""
    if not request.user.has_perms(MAY_READ):
        return None
    found = why.happened_to(node.pk, viewer(request))
    if not found and node.node_kind not in ASKED_ABOUT:
        return None
    language, words = get_language() or "nb", database_vocabulary()
    return {
        "events": [
            (one.event, event_in_words(one.event.event, language), list(_lines(one, words, language))) for one in found
        ]
    }


def _lines(one: why.Happened, words: Vocabulary, language: str) -> Iterator[Line]:
    for asked in one.considered:
        yield Line(asked.recipe, asked.run, "" if asked.run else _reason(one.event, asked, words, language))


def _reason(event: GraphEvent, asked: why.Considered, words: Vocabulary, language: str) -> str:
    """By the graph of now: a tag that was set since counts."""
    said = asked.answer
    if said.starts and event.done_at is None:
        return _("waits for a worker to handle the event")
    if said.starts:
        return _("did not start then, but would now: something has changed since")
    if said.failing:
        return f"{said.reason.label}: {print_conditions(said.failing, event.event, words, language)}"
    return str(said.reason.said)
