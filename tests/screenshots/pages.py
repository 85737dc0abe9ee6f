"""Which pages are shown, by the name of their picture."""

from __future__ import annotations

from typing import Any


def pages(scene: dict[str, Any]) -> dict[str, str]:
    """Name → address."""
    job, run = scene["job"].pk, scene["run"].pk
    return {
        "dashboard": "/admin/",
        "jobs": "/admin/jobs/job/",
        "job": f"/admin/jobs/job/{job}/change/",
        "new-job": "/admin/jobs/job/new/?type=pg_insert_node",
        "types": "/admin/job-types/",
        "failures": "/admin/failures/",
        "resources": "/admin/resources/",
        "agents": "/admin/switches/",
        "run": f"/admin/orchestration/run/{run}/change/",
        "workers": "/admin/resources/worker/",
        "notices": "/admin/notices/",
        "downloads": "/admin/graph/downloadcount/",
        "tokens": "/admin/site/apitoken/",
        "new-token": "/admin/site/apitoken/add/",
        "bulk": f"/admin/jobs/bulkoperation/{scene['bulk'].pk}/change/",
    }
