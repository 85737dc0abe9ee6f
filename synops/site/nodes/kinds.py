"""What the pages of recordings, articles, collections, tools and presets show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from orchestration.models import Orchestration
from synops.graph.admin.bases import viewer
from synops.graph.models import Edge, Node, TranscriptionSegment
from synops.site.nodes.waveforms import drawing
from synops.tools.describe import Description, InvalidDescription
from synops.tools.markdown import to_html

MOST = 200
MOST_FILES = 20
Shown = Mapping[str, Any]


def recording(request: HttpRequest, node: Node) -> Shown | None:
    """Its files with a player, the transcript by sentence, and the drawing of the sound where there is one."""
    media = Node.objects.visible_to(viewer(request)).filter(
        edges_in__source=node, edges_in__edge_type="has_media", node_kind="media"
    )
    files = [one for one in media.order_by("created_at", "id")[:MOST_FILES] if one.metadata.get("cas_hash")]
    segments = TranscriptionSegment.objects.filter(node_id__in=[one.pk for one in files]).order_by("node_id", "seq")
    return {"files": [_file(one) for one in files], "segments": list(segments[: MOST * 5])}


def media(_request: HttpRequest, node: Node) -> Shown | None:
    """The file itself, and its transcript."""
    if not node.metadata.get("cas_hash"):
        return None
    return {"files": [_file(node)], "segments": list(node.segments.order_by("seq")[: MOST * 5])}


def _file(node: Node) -> dict[str, Any]:
    mime = str(node.metadata.get("mime") or "")
    return {"node": node, "mime": mime, "kind": mime.partition("/")[0], "waveform": drawing(node.metadata)}


def article(_request: HttpRequest, node: Node) -> Shown | None:
    """The text as it will be published."""
    if not node.content.strip():
        return None
    return {"body": mark_safe(to_html(node.content))}  # noqa: S308 (sanitised by to_html)


def collection(request: HttpRequest, node: Node) -> Shown:
    """Members, recipes, traits, and what belongs to it, newest first; each as far as the reader may see it."""
    visible = Node.objects.visible_to(viewer(request))
    people = Edge.objects.filter(target=node, edge_type__in=("member", "owner"), source__in=visible)
    recipes = Orchestration.objects.visible_to(viewer(request)).filter(
        edges_out__target=node, edges_out__edge_type="belongs_to"
    )
    content = visible.filter(edges_out__target=node, edges_out__edge_type="belongs_to")
    return {
        "people": list(people.select_related("source").order_by("source__title")[:MOST]),
        "recipes": list(recipes.order_by("title")[:MOST]),
        "traits": sorted(_names(node.metadata.get("traits"))),
        "content": list(content.exclude(node_kind="orchestration").order_by("-created_at", "-id")[:30]),
    }


def _names(traits: Any) -> list[str]:
    """A collection's traits are a list of names, or an object with a name per key."""
    return [str(name) for name in traits] if isinstance(traits, list | dict) else []


def tool(_request: HttpRequest, node: Node) -> Shown | None:
    """What it says of itself, in the reader's language."""
    try:
        described = Description.from_json(node.metadata)
    except InvalidDescription:
        return None
    language = get_language() or "nb"
    return {
        "described": described,
        "text": described.description.get(language) or described.description.get("en", ""),
        "verbs": [*described.aliases.get(language, ()), *described.aliases.get("nn", ())],
        "params": [
            (param, param.description.get(language) or param.description.get("en", "")) for param in described.params
        ],
        "available": node.metadata.get("available", True),
    }


def preset(_request: HttpRequest, node: Node) -> Shown:
    """The instruction that a model is given."""
    return {"prompt": node.content, "settings": {key: value for key, value in node.metadata.items() if key != "seed"}}
