"""synops-clip: keeps a web page that somebody has shared: its text and summary become a research clip with its source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from synops.llm.names import SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import ENGINE_PARAM, MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from synops.llm.endpoint import Endpoint
    from synops.store.collections import CollectionConfig
    from synops.store.sql import Cursor
    from synops.tools.call import Call
    from synops.tools.failures import ToolFailure
    from synops.tools.webpage import Article

#: Links of one message that are followed; the rest are named in the result.
MOST_LINKS: Final = 10
SUMMARY_SENTENCES: Final = 3
TASK: Final = "Summarise this web page for a journalist's research in at most four sentences. Plain text."
_LINK = re.compile(r"https?://[^\s<>\"'`\\^{}|]+", re.IGNORECASE)

DESCRIPTION = Description(
    name="synops-clip",
    version="0.1.0",
    description={
        "nb": "Tar vare på en nettside som noen har delt: tekst, sammendrag, kilde og emner.",
        "en": "Keeps a web page that somebody has shared: text, summary, source and topics.",
    },
    job_types=("research_clip", "url_ingest"),
    aliases={
        "nb": ("hent nettside", "hent lenke", "klipp nettside", "arkiver lenke"),
        "nn": ("hent nettside", "hent lenkje", "klipp nettside", "arkiver lenkje"),
        "en": ("clip url", "clip the web page", "archive the link", "fetch the web page"),
    },
    params=(
        Param(
            name="node_id",
            type="uuid",
            bind=("event.node_id", "event.target_id"),
            hints={
                "nb": ("node", "lenke", "nettside", "kilde"),
                "nn": ("node", "lenkje", "nettside", "kjelde"),
                "en": ("the node", "the link", "the web page", "the source"),
            },
            description={
                "nb": "Noden med lenken i seg: alle lenker i den følges.",
                "en": "The node that holds the link: all links in it are followed.",
            },
        ),
        Param(
            name="url",
            type="string",
            description={"nb": "Adressen selv, uten en node.", "en": "The address itself, without a node."},
        ),
        Param(
            name="refresh",
            type="boolean",
            enum={"true": {"nb": ("på nytt",), "nn": ("på nytt",), "en": ("again",)}},
            description={
                "nb": "Hent en side som er klippet før, en gang til.",
                "en": "Fetch a page again that has been clipped before.",
            },
        ),
        ENGINE_PARAM,
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={"clip_node_id": "uuid", "url": "string", "title": "string", "clips": "list", "failed": "list", **OUTPUTS},
    output_words={
        "clip_node_id": {"nb": ("klippet",), "nn": ("klippet",), "en": ("the clip",)},
    },
    timeout=600,
    database="write",
    network=True,
    settings=("SYNOPS_CLIP_ALLOWED_HOSTS", *SETTINGS),
    secrets=SECRETS,
    exit_codes="sysexits",
    examples=(
        "synops-clip --url=https://www.regjeringen.no/no/tema/",
        "synops-clip --node-id=0190f5a6-0000-7000-8000-000000000001 --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Each link by itself: one that can't be had keeps none of the others from being kept."""
    from synops.tools.database import reading
    from synops.tools.engines import chosen_model
    from synops.tools.failures import ToolFailure

    place = chosen_model(call)
    with reading(call) as cur:
        collection, links = _collection(call, cur), _links(call, cur)
    if not links:
        return {"skipped": "there is no link in the node", "clips": [], "failed": []}
    clips, failed = [], []
    for number, url in enumerate(links[:MOST_LINKS]):
        call.progress(number / len(links), url)
        try:
            clips.append(_clip(call, collection, url, place))
        except ToolFailure as failure:
            failed.append((url, failure))
    if not clips:
        raise failed[0][1]
    return {**clips[0], "clips": clips, "failed": _told(failed, links[MOST_LINKS:])}


def _told(failed: Sequence[tuple[str, ToolFailure]], rest: Sequence[str]) -> list[dict[str, str]]:
    too_many = f"only the first {MOST_LINKS} links of a node are followed"
    return [{"url": url, "reason": str(failure)} for url, failure in failed] + [
        {"url": url, "reason": too_many} for url in rest
    ]


def _collection(call: Call, cur: Cursor) -> CollectionConfig | None:
    """The job's collection, by hand the node's; None for an address by hand, which is only shown."""
    from synops.store.collections import UnknownCollection, collection_config
    from synops.store.segments import collections_of
    from synops.tools.failures import BadUsage, NoInput

    given = [name for name in ("node_id", "url") if call.payload[name]]
    if len(given) != 1:
        raise BadUsage("give --node-id (a node with links) or --url (an address), and not both")
    homes = [call.collection_id] if call.collection_id else []
    if call.payload["node_id"]:
        homes += collections_of(cur, call.uuid("node_id")) or [call.uuid("node_id")]
    try:
        found = collection_config(cur, homes[0]) if homes else None
    except UnknownCollection as error:
        raise NoInput(f"node {call.payload['node_id']} belongs to no collection") from error
    if call.write and found is None:
        raise BadUsage("a clip belongs to a collection: enqueue a job in one, or give --node-id instead of --url")
    return found


def _links(call: Call, cur: Cursor) -> list[str]:
    """The addresses to follow, each once."""
    from synops.store.metadata import text
    from synops.tools.clip_nodes import KIND
    from synops.tools.subject import read_node

    if call.payload["url"]:
        return [call.payload["url"].strip()]
    node = read_node(cur, call.uuid("node_id"))
    if node.node_kind in (KIND, "source"):
        return []  # what this tool has made; a recipe that starts at every new edge would follow its own
    return links_in(f"{text(node.metadata.get('url'))} {node.title} {node.content}")


def links_in(words: str) -> list[str]:
    """The web addresses in a text, without the marks that end the sentence around them."""
    found = []
    for match in _LINK.finditer(words):
        url = match[0].rstrip(".,;:!?*_~'»")
        while url.endswith((")", "]")) and url.count(url[-1]) > url.count({")": "(", "]": "["}[url[-1]]):
            url = url[:-1].rstrip(".,;:!?*_~")
        found.append(url)
    return list(dict.fromkeys(found))


def _clip(call: Call, collection: CollectionConfig | None, url: str, place: Endpoint | None) -> dict[str, Any]:
    """One page. Once kept it is not fetched again, unless that is asked for."""
    from synops.tools.clip_nodes import keep, kept_already
    from synops.tools.fetching import Limits, checked, fetch
    from synops.tools.webpage import article_of, same_page

    asked = same_page(checked(url))
    if collection and not call.payload["refresh"] and (old := kept_already(call, collection, asked)):
        return old
    allowed = (call.environ.get("SYNOPS_CLIP_ALLOWED_HOSTS") or "").replace(",", " ").split()
    page = fetch(asked, Limits(), allowed)
    article = article_of(page.body, page.charset, page.url)
    language = article.language or (collection.language if collection else "nb")
    told = _summarised(call, article, language, collection, place)
    result = {
        "url": same_page(page.url),
        "title": article.title,
        "author": article.author,
        "site": article.site,
        "published": article.published,
        "characters": len(article.body),
        **told,
    }
    if collection is None:
        return {**result, "clip_node_id": None, "text": article.body, "topics": [], "already": False}
    return {**result, **keep(call, collection, asked, article, result), "already": False}


def _summarised(
    call: Call, article: Article, language: str, collection: CollectionConfig | None, place: Endpoint | None
) -> dict[str, Any]:
    from synops.tools.engines import brief, by_model, by_rules, material
    from synops.tools.extractive import choose, split_sentences
    from synops.tools.model import answer

    if place:
        own = collection.prompts.get("clip", "") if collection else ""
        talk = [brief(TASK, language, own), material(f"{article.title}\n\n{article.body}")]
        said = answer(call, place, talk, tier=call.payload["intelligence"], model=call.payload["model"] or "")
        return {"summary": said.text.strip(), **by_model(said.model, language, said.usage)}
    sentences = [sentence for part in article.body.split("\n") for sentence in split_sentences(part)]
    # A news text says the most in its first sentence; the others are chosen by how much of the text they share.
    rest = choose(sentences[1:500], SUMMARY_SENTENCES - 1, language) if len(sentences) > SUMMARY_SENTENCES else range(2)
    chosen = [0, *(at + 1 for at in rest if at + 1 < len(sentences))]
    return {"summary": " ".join(sentences[at] for at in chosen), **by_rules(language)}


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
