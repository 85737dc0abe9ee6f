"""Published articles of the demo's collection, and the pages that synops-render makes of them."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from synops.demo.data import DemoNodes, demo_id
from synops.store.edges import Edge
from synops.store.edges import insert_edge as join
from synops.store.nodes import Node, insert_node
from tests.tools.conftest import Outcome, Workshop, running_job


def add_article(name: str, content: str = "Tekst.", belonging: dict[str, Any] | None = None, **metadata: Any) -> UUID:
    """A published article of the demo's collection."""
    place = {"slot": "main", "published_at": "2026-03-01T10:00:00+01:00"} if belonging is None else belonging
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(demo_id(name), "article", name, content, metadata))
        join(cur, Edge(demo_id(name), "belongs_to", demo_id("collection"), place))
    return demo_id(name)


def render(workshop: Workshop, demo: DemoNodes, node: UUID, *flags: str, **environ: str) -> Outcome:
    job = running_job(demo.collection, "render_article")
    return workshop.run("synops-render", f"--node-id={node}", "--write", *flags, **job, **environ)


def index(workshop: Workshop, demo: DemoNodes, *flags: str, **environ: str) -> Outcome:
    return render(workshop, demo, demo.collection, "--target=index", *flags, **environ)


def public(workshop: Workshop) -> dict[str, Path]:
    root = workshop.root / "var" / "public" / "demo"
    return {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}


def words(page: Path | str) -> str:
    text = page.read_text() if isinstance(page, Path) else page
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)).split())
