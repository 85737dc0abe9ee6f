"""Which pages are shown, by the name of their picture, and what is done on them first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.screenshots.recipes import MISTAKEN

ADD = "/admin/orchestration/orchestration/add/"


def pages(scene: dict[str, Any]) -> dict[str, str]:
    """Name → address."""
    job, run = scene["job"].pk, scene["run"].pk
    recipe, item = "/admin/orchestration/orchestration/{}/change/", "/admin/orchestration/workitem/{}/change/"
    podcast = recipe.format(scene["podcast"].pk)
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
        "recipes": "/admin/orchestration/orchestration/",
        "recipe": podcast,
        "recipe-technical": podcast,
        "recipe-compiled": podcast,
        "recipe-mistake": ADD,
        "recipe-draft": recipe.format(scene["wish"].pk),
        "recipe-trial": podcast,
        "recipe-run": f"/admin/orchestration/orchestration/{scene['podcast'].pk}/run/",
        "cascade-map": "/admin/cascade-map/",
        "runs": "/admin/orchestration/run/",
        "run-failed": f"/admin/orchestration/run/{scene['failed_run'].pk}/change/",
        "inbox": "/admin/orchestration/workitem/",
        "item": item.format(scene["held"].pk),
        "item-answer": item.format(scene["answered"].pk),
        "new-recording": "/admin/graph/node/new-recording/",
        **{f"node-{kind}": f"/admin/graph/node/{scene[name].pk}/change/" for kind, name in NODES.items()},
    }


NODES = {"recording": "talk", "article": "article", "collection": "collection", "tool": "tool", "preset": "preset"}


ANOTHER_VIEW = ("recipe", "recipe-technical", "recipe-compiled", "item")
"""Pictures of a page that another one shows with more on it."""


def pose(page: Any, name: str) -> None:
    """What a person has done on a page before its picture is taken."""
    if name in POSES:
        POSES[name](page)


def _technical(page: Any) -> None:
    page.locator('#editor-verdict[data-kind="clean"]').wait_for()
    page.locator("#tab-technical").click()


def _compiled(page: Any) -> None:
    page.locator('#editor-verdict[data-kind="clean"]').wait_for()
    page.locator("#show-compiled").click()


def _mistake(page: Any) -> None:
    page.locator(".cm-content").click()
    page.keyboard.insert_text(MISTAKEN)
    page.locator('#editor-verdict[data-kind="errors"]').wait_for()


def _draft(page: Any) -> None:
    page.locator("#draft-now").click()
    page.locator("#draft-checks li").first.wait_for()


def _trial(page: Any) -> None:
    page.locator("#trial summary").click()
    page.locator("#trial-go").click()
    page.locator("#trial-result .verdict").wait_for()


POSES: dict[str, Callable[[Any], None]] = {
    "recipe": lambda page: page.locator('#editor-verdict[data-kind="clean"]').wait_for(),
    "recipe-technical": _technical,
    "recipe-compiled": _compiled,
    "recipe-mistake": _mistake,
    "recipe-draft": _draft,
    "recipe-trial": _trial,
}
