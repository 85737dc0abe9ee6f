"""The jobs that fit a node: types whose tool takes what the node has. Each leads to the form of a new job, filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language

from jobs import tool_nodes
from synops.graph.admin.bases import viewer
from synops.graph.models import Node
from synops.tools.describe import Description

FITS = {
    "communication": (
        "whisper_transcribe", "summarize_communication", "meeting_summarize", "suggest_edges", "openrouter_analyze",
    ),
    "media": ("whisper_transcribe", "audio_process", "generate_waveform", "checksum", "srt_parse"),
    "content": ("render_article", "tts_generate", "suggest_edges", "ai_text_process", "ai_process", "generate_embeddings"),
    "collection": ("render_index", "rss"),
}  # fmt: skip
"""Which types are offered on which pages, in this order. A type that no installed tool has is left out."""


@dataclass(frozen=True)
class Fitting:
    """One job that could be made of the node."""

    job_type: str
    label: str
    address: str


def fitting(request: HttpRequest, node: Node) -> Mapping[str, Any] | None:
    """The jobs, for people who may enqueue; None where nothing fits."""
    wanted = FITS.get("content" if node.node_kind == "article" else node.node_kind, ())
    if not wanted or not request.user.has_perm("jobs.enqueue_job"):
        return None
    with connection.cursor() as cursor:
        described = tool_nodes.descriptions(cursor)
    found = list(_found(request, node, {name: described[name] for name in wanted if name in described}))
    return {"jobs": found} if found else None


def _found(request: HttpRequest, node: Node, described: Mapping[str, Description]) -> Iterator[Fitting]:
    home = _home(request, node)
    values = _values(node, home)
    for job_type, description in described.items():
        given = {f"param-{param.name}": values[param.name] for param in description.params if param.name in values}
        query = urlencode({"type": job_type, "collection": home or "", **given})
        yield Fitting(job_type, _label(description, job_type), f"{reverse('admin:jobs_job_new')}?{query}")


def _label(description: Description, job_type: str) -> str:
    """The tool's verb in the reader's language."""
    words = description.aliases.get(get_language() or "nb", ())
    return f"{words[0]} ({job_type})" if words else job_type


def _home(request: HttpRequest, node: Node) -> str:
    """The collection that the job goes into: the node itself, or the first visible one that it belongs to."""
    if node.node_kind == "collection":
        return str(node.pk)
    homes = Node.objects.visible_to(viewer(request)).filter(
        node_kind="collection", edges_in__source=node, edges_in__edge_type="belongs_to"
    )
    first = homes.order_by("created_at", "id").values_list("pk", flat=True).first()
    return str(first) if first else ""


def _values(node: Node, home: str) -> dict[str, str]:
    """What tools may ask for, by the names that their params have."""
    found = {"node_id": str(node.pk), "collection_id": home}
    if node.node_kind == "communication":
        found["communication_id"] = str(node.pk)
        media = node.edges_out.filter(edge_type="has_media", target__metadata__has_key="cas_hash").order_by(
            "created_at"
        )
        digest = media.values_list("target__metadata__cas_hash", flat=True).first()
    else:
        digest = node.metadata.get("cas_hash")
    return found | ({"cas_hash": str(digest)} if digest else {})
