"""The newest runs and the open work items that the viewer may see."""

from __future__ import annotations

from typing import Any

from orchestration.models import Run, WorkItem
from synops.graph.admin.paginator import bounded_count

FEW = 6


def as_context(user: Any) -> dict[str, Any]:
    """For the template; each part only with its right."""
    context: dict[str, Any] = {}
    if user.has_perm("orchestration.view_run"):
        context["runs"] = list(Run.objects.visible_to(user).order_by("-created_at", "-id").defer("compiled")[:FEW])
    if user.has_perm("orchestration.view_workitem"):
        items = WorkItem.objects.visible_to(user).filter(metadata__status="open")
        context["items"] = list(items.order_by("-updated_at", "-id")[:FEW])
        context["open_items"] = bounded_count(items, 999)
    return context
