"""Kinds of nodes in words. A kind is data, and anyone may add one: what has no words here is shown as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

KINDS: dict[str, _StrPromise] = {
    "agent": pgettext_lazy("kind of node", "agent"),
    "ai_preset": pgettext_lazy("kind of node", "AI preset"),
    "article": pgettext_lazy("kind of node", "article"),
    "cli_tool": pgettext_lazy("kind of node", "tool"),
    "collection": pgettext_lazy("kind of node", "collection"),
    "communication": pgettext_lazy("kind of node", "conversation"),
    "content": pgettext_lazy("kind of node", "text"),
    "media": pgettext_lazy("kind of node", "media file"),
    "message": pgettext_lazy("kind of node", "message"),
    "notice": pgettext_lazy("kind of node", "notice"),
    "orchestration": pgettext_lazy("kind of node", "recipe"),
    "person": pgettext_lazy("kind of node", "person"),
    "research_clip": pgettext_lazy("kind of node", "clip"),
    "topic": pgettext_lazy("kind of node", "topic"),
    "work_item": pgettext_lazy("kind of node", "work item"),
}


def in_words(kind: str) -> str:
    """The kind in the language that is on."""
    return str(KINDS.get(kind, kind))
