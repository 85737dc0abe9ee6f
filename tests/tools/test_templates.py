"""Themes, and a collection's own templates and style."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection

from synops.demo.data import DemoNodes, demo_id
from synops.store.articles import ArticleRow
from synops.store.collections import CollectionConfig
from synops.store.nodes import update_node
from synops.tools.failures import BadInput
from synops.tools.website import article_of, site_of
from tests.tools.articles import add_article, public
from tests.tools.conftest import Workshop


def test_themes_and_a_collections_own_templates(website: Workshop, demo: DemoNodes) -> None:
    node = add_article("Sak")
    assert "Georgia" in website.run("synops-render", f"--node-id={node}", "--theme=paper").result["html"]
    done = website.run("synops-render", f"--node-id={node}", "--theme=stygt")
    assert (done.code, done.stderr.splitlines()[-1]) == (
        64,
        'synops-render: there is no theme "stygt"; there are plain, paper, bold',
    )
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"theme": "bold", "templates": {"article": "{% if %}"}})
    done = website.run("synops-render", f"--node-id={node}")
    assert (done.code, 'template "article" has an error in line 1' in done.stderr) == (65, True)
    assert public(website) == {}


def own_page(theme: str = "", **templates: str) -> str:
    """The page of an article in a collection with templates of its own."""
    collection = CollectionConfig(demo_id("collection"), "demo", "Demo", "", "nb", (), (), {}, {}, theme, templates)
    row = ArticleRow(demo_id("sak"), "Sak", "Tekst", {}, {"slot": "main"}, datetime(2026, 3, 1, tzinfo=UTC), (), ())
    site = site_of(collection, {}, None)
    return site.article_page(article_of(row, site)).decode()


def test_own_templates_extend_ours_and_replace_them() -> None:
    own = '{% extends "synops/article.html" %}{% block title %}Vår: {{ article.title }}{% endblock %}'
    made = own_page("bold", article=own, style="body { margin: 7px }")
    assert "<title>Vår: Sak</title>" in made
    assert "Arial Narrow" in made
    assert "margin: 7px" in made
    assert own_page(base="{{ site.title }}|{% block main %}{% endblock %}").startswith("Demo|")


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ site.folder.write('../x', 'y'.encode()) }}", "has no attribute 'folder'"),
        ("{{ article.image.stored }}", "has no attribute 'stored'"),
        ("{% extends 'article.html' %}", "does not work"),
        ("{{ range(10**9)|list }}", "does not work"),
        ("{% include '/etc/passwd' %}", "does not work"),
    ],
)
def test_a_template_of_a_collections_own_that_does_not_work(template: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        own_page(article=template)


def test_a_style_stays_a_style() -> None:
    with pytest.raises(BadInput, match="can't hold"):
        own_page(style="</style><script>")
