"""synops-render: makes web pages of a collection's published articles: one article's page, or the index of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from synops.store.collections import CollectionConfig
    from synops.store.sql import Cursor
    from synops.tools.call import Call
    from synops.tools.website import Article, Site

DESCRIPTION = Description(
    name="synops-render",
    version="0.1.0",
    description={
        "nb": "Bygger nettsider av samlingens publiserte saker: siden til én sak, eller forsiden.",
        "en": "Makes web pages of the collection's published articles: one article's page, or the index.",
    },
    job_types=("render_article", "render_index"),
    job_type_by={"param": "target", "values": {"article": "render_article", "index": "render_index"}},
    aliases={
        "nb": (
            "bygg nettside",
            "lag nettside",
            "bygg forside",
            "bygg side",
            "generer html",
            "render",
            "rendre",
        ),
        "nn": ("bygg nettside", "lag nettside", "bygg framside", "bygg side", "rendre"),
        "en": ("render article", "render", "build the website", "build the homepage", "build the index"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            required=True,
            bind=("event.node_id", "event.target_id"),
            hints={
                "nb": ("artikkel", "sak", "node", "side", "episode", "tekst"),
                "nn": ("artikkel", "sak", "node", "side", "episode", "tekst"),
                "en": ("the article", "the story", "the node", "the page"),
            },
            description={
                "nb": "Saken; for forsiden en node i samlingen, eller samlingen selv.",
                "en": "The article; for the index any node of the collection, or the collection itself.",
            },
        ),
        Param(
            name="target",
            type="string",
            default="article",
            enum={
                "article": {"nb": ("artikkel",), "nn": ("artikkel",), "en": ("article",)},
                "index": {
                    "nb": ("forside", "indeks"),
                    "nn": ("framside", "indeks"),
                    "en": ("front page", "homepage", "index"),
                },
            },
            description={"nb": "Hva som bygges.", "en": "What is made."},
        ),
        Param(
            name="theme",
            type="string",
            slot={"kind": "text"},
            hints={"nb": ("tema",), "nn": ("tema",), "en": ("theme",)},
            description={
                "nb": "Utseendet: plain, paper eller bold; uten valg samlingens eget.",
                "en": "The look: plain, paper or bold; without a choice the collection's own.",
            },
        ),
        Param(
            name="all",
            type="boolean",
            enum={"true": {"nb": ("alle sider",), "nn": ("alle sider",), "en": ("all pages",)}},
            description={
                "nb": "Med forsiden: bygg også alle sakene på nytt, som etter et nytt tema.",
                "en": "With the index: make all articles' pages anew too, as after a change of theme.",
            },
        ),
    ),
    outputs={
        "url": "string",
        "path": "string",
        "article_count": "integer",
        "page_count": "integer",
        "rendered": "integer",
        "removed": "list",
        "left_out": "list",
    },
    output_words={"url": {"nb": ("nettsiden",), "nn": ("nettsida",), "en": ("the web page",)}},
    timeout=120,
    database="write",
    settings=("STORE_DIR", "PUBLISH_DIR", "PUBLISH_URL", "SYNOPS_VAR", "TIME_ZONE"),
    exit_codes="sysexits",
    examples=(
        "synops-render --node-id=0190f5a6-0000-7000-8000-000000000001         # shows the page",
        "synops-render --node-id=0190f5a6-0000-7000-8000-000000000001 --write",
        "synops-render --node-id=0190f5a6-0000-7000-8000-000000000001 --target=index --theme=paper --all --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Without `--write` the page is in the result and nothing is published."""
    make = _index if call.payload["target"] == "index" else _article
    if call.write:
        from synops.tools.database import writing

        with writing(call) as cur:
            return make(call, cur)
    from synops.tools.database import reading

    with reading(call) as cur:
        return make(call, cur)


def _article(call: Call, cur: Cursor) -> dict[str, Any]:
    """One article's page. All in the transaction that holds the site's lock: what is read is what is published."""
    from synops.store.articles import article_rows, lock_website
    from synops.store.episodes import database_now
    from synops.tools.failures import BadInput
    from synops.tools.website import article_of, reason_against

    collection, site = _site(call, cur)
    if call.write:
        lock_website(cur, collection.id)
    node = call.uuid("node_id")
    rows = article_rows(cur, collection.id, node)
    if not rows:
        raise BadInput(f'node {node} is not published in "{collection.title}"; publish it first (synops-publish)')
    if reason := reason_against(rows[0], database_now(cur)):
        return {"skipped": reason, "url": None}
    article = article_of(rows[0], site)
    page = site.article_page(article)
    if not call.write:
        return {"url": article.url, "path": None, "html": page.decode()}
    _keep_path(cur, collection.id, article)
    _hold_fence(call, cur)
    return {"url": article.url, "path": str(_publish(site, article, page))}


def _index(call: Call, cur: Cursor) -> dict[str, Any]:
    """The index, the pages that it needs and are missing, and the end of those that nobody should see any more."""
    from synops.store.articles import article_rows, lock_website
    from synops.store.episodes import database_now
    from synops.tools.website import index_pages, shown_articles

    collection, site = _site(call, cur)
    if call.write:
        lock_website(cur, collection.id)
    articles, left_out = shown_articles(article_rows(cur, collection.id), site, database_now(cur))
    pages = list(index_pages(articles, site))
    made = {page.name: site.index_page(page) for page in pages}
    result = {
        "url": site.url,
        "article_count": len(articles),
        "page_count": len(pages),
        "left_out": left_out,
    }
    if not call.write:
        return {**result, "path": None, "rendered": 0, "removed": [], "html": made["index.html"].decode()}
    missing = [one for one in articles if call.payload["all"] or not (site.folder.path / one.path).is_file()]
    bodies = [(one, site.article_page(one)) for one in missing]
    for article in missing:
        _keep_path(cur, collection.id, article)
    _hold_fence(call, cur)
    for done, (article, body) in enumerate(bodies, start=1):
        call.progress(done / (len(bodies) + 1), f"rendering {article.title}")
        _publish(site, article, body)
    for name, body in reversed(made.items()):  # the first page last: it points to the others
        site.folder.write(name, body)
    removed = _clear(site, articles, made)
    return {**result, "path": str(site.folder.path / "index.html"), "rendered": len(missing), "removed": removed}


def _site(call: Call, cur: Cursor) -> tuple[CollectionConfig, Site]:
    """The job's collection; by hand the one that the node is, or is in. Raises NoInput."""
    from synops.store.collections import UnknownCollection, collection_config
    from synops.store.segments import collections_of
    from synops.tools.failures import NoInput
    from synops.tools.website import site_of

    node = call.uuid("node_id")
    homes = [call.collection_id] if call.collection_id else [*collections_of(cur, node), node]
    try:
        collection = collection_config(cur, homes[0])
    except UnknownCollection as error:
        raise NoInput(f"node {node} is no collection and belongs to none: {error}") from error
    return collection, site_of(collection, call.environ, call.payload["theme"])


def _keep_path(cur: Cursor, collection: UUID, article: Article) -> None:
    """An address that people may have linked to stays when the title changes."""
    from synops.store.edges import Edge, insert_edge

    insert_edge(cur, Edge(article.id, "belongs_to", collection, {"path": article.path}))


def _hold_fence(call: Call, cur: Cursor) -> None:
    """Before the first rename and not only before the commit: a page can't be rolled back."""
    if call.job:
        from synops.tools import fence

        fence.hold(cur, call.job)


def _publish(site: Site, article: Article, page: bytes) -> Any:
    for asset in article.assets:
        site.folder.publish(asset.name, asset.stored)
    return site.folder.write(article.path, page)


def _clear(site: Site, articles: Iterable[Article], index: Iterable[str]) -> list[str]:
    """Remove pages and files of what is withdrawn, and pages of the index behind the last."""
    from synops.tools.website import ARTICLES, FILES

    names = {article.path for article in articles}
    files = {asset.name for article in articles for asset in article.assets}
    gone = [f"{ARTICLES}/{name}" for name in site.folder.keep_only(ARTICLES, _within(ARTICLES, names))]
    gone += [f"{FILES}/{name}" for name in site.folder.keep_only(FILES, _within(FILES, files))]
    wanted = set(index)
    for page in sorted(site.folder.path.glob("page-*.html")):
        if page.name not in wanted:
            page.unlink(missing_ok=True)
            gone.append(page.name)
    return gone


def _within(folder: str, names: Iterable[str]) -> set[str]:
    return {name.removeprefix(f"{folder}/") for name in names}


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
