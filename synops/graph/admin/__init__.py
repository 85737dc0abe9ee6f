"""Admin pages of the knowledge graph, and what the pages of all apps share (bases, paginator, rendering)."""

from __future__ import annotations

from django.contrib import admin

from synops.graph.admin.downloads import DownloadCountAdmin
from synops.graph.admin.edges import EdgeAdmin
from synops.graph.admin.events import AccessEdgeTypeAdmin, GraphEventAdmin
from synops.graph.admin.nodes import NodeAdmin
from synops.graph.models import AccessEdgeType, DownloadCount, Edge, GraphEvent, Node

admin.site.register(Node, NodeAdmin)
admin.site.register(Edge, EdgeAdmin)
admin.site.register(AccessEdgeType, AccessEdgeTypeAdmin)
admin.site.register(GraphEvent, GraphEventAdmin)
admin.site.register(DownloadCount, DownloadCountAdmin)
