"""Which kind has which panels."""

from __future__ import annotations

from synops.graph.admin.panels import ANY_KIND, Panel, register
from synops.site.nodes import kinds
from synops.site.nodes.fitting import fitting
from synops.site.nodes.happened import happened


def register_panels() -> None:
    """Once the apps are ready."""
    folder = "admin/graph/node"
    register("communication", Panel(f"{folder}/recording.html", kinds.recording))
    register("media", Panel(f"{folder}/recording.html", kinds.media))
    for kind in ("content", "article"):
        register(kind, Panel(f"{folder}/article.html", kinds.article))
    register("collection", Panel(f"{folder}/collection.html", kinds.collection))
    register("cli_tool", Panel(f"{folder}/tool.html", kinds.tool))
    register("ai_preset", Panel(f"{folder}/preset.html", kinds.preset))
    register(ANY_KIND, Panel(f"{folder}/fitting.html", fitting))
    register(ANY_KIND, Panel(f"{folder}/happened.html", happened))
