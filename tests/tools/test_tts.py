from __future__ import annotations

import json
import re

import av
import jiwer
import pytest
from django.db import connection

from synops.demo.data import DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from synops.tools.speech import recognise
from synops.tools.tts import spoken_paragraphs
from synops.tools.whisper_models import find_model
from tests.tools.conftest import Outcome, Workshop, rows, running_job

ENGLISH = (
    "The city council met on Tuesday evening to discuss the new library. The building will open in September. "
    "The mayor thanked everyone who had worked on the project for so many years."
)


def add_text(name: str, content: str, title: str = "", **metadata: str) -> str:
    node = demo_id(name)
    with connection.cursor() as cur:
        insert_node(cur, Node(node, "content", title, content, metadata))
        insert_edge(cur, Edge(node, "belongs_to", demo_id("collection")))
    return str(node)


def read_aloud(workshop: Workshop, demo: DemoNodes, node: str, *flags: str) -> Outcome:
    job = running_job(demo.collection, "tts_generate")
    return workshop.run("synops-tts", f"--node-id={node}", "--write", *flags, **job)


def test_what_is_read_aloud_is_heard_again(database_workshop: Workshop, demo: DemoNodes) -> None:
    """Text to speech to text: synthesised English comes back through the recogniser."""
    result = read_aloud(database_workshop, demo, add_text("article", ENGLISH)).result
    path = database_workshop.store.path(result["cas_hash"])
    heard = recognise(path, find_model("base", {}), "en", (), lambda *_: None)
    text = " ".join(segment.text for segment in heard.segments)
    said, understood = (" ".join(re.findall(r"[a-z]+", words.lower())) for words in (ENGLISH, text))
    assert jiwer.wer(said, understood) < 0.15
    assert (result["engine"], result["quality"], result["language"]) == ("espeak-ng", "draft", "en")
    assert result["duration_seconds"] == pytest.approx(heard.duration, abs=0.2)
    assert result["size"] == path.stat().st_size
    with av.open(str(path)) as container:
        assert container.streams.audio[0].codec_context.name == "mp3float"


def test_the_reading_belongs_to_its_text_and_a_new_one_replaces_it(
    database_workshop: Workshop, demo: DemoNodes
) -> None:
    node = add_text("note", "Hei på deg.", "Et notat", language="nb")
    first = read_aloud(database_workshop, demo, node).result
    assert read_aloud(database_workshop, demo, node).result == first
    second = read_aloud(database_workshop, demo, node, "--voice=female").result
    assert first["language"] == "nb"
    assert second["cas_hash"] != first["cas_hash"]
    assert second["media_node_id"] == first["media_node_id"]
    [(title, metadata, edges)] = rows(
        """SELECT title, metadata, array(SELECT e.edge_type || ' ' || e.source_id || ' ' || e.target_id FROM edges e
           WHERE n.id IN (e.source_id, e.target_id) ORDER BY 1) FROM nodes n WHERE id = %s""",
        second["media_node_id"],
    )
    assert (title, json.loads(metadata)["cas_hash"]) == ("Et notat", second["cas_hash"])
    assert edges == [
        f"belongs_to {second['media_node_id']} {demo.collection}",
        f"has_media {node} {second['media_node_id']}",
    ]


def test_what_can_not_be_read(database_workshop: Workshop, demo: DemoNodes) -> None:
    def failed(node: str, *flags: str) -> tuple[int, str]:
        done = database_workshop.run("synops-tts", f"--node-id={node}", *flags)
        return done.code, done.stderr.splitlines()[-1]

    text = add_text("text", "Eg les.")
    assert failed(text, "--language=nn") == (
        78,
        'synops-tts: no voice for "nn". Available: nb, no, sv, da, en-gb (espeak-ng). Use --language nb.',
    )
    assert failed(add_text("empty", " \n\n---\n"))[0] == 66
    assert failed(str(demo_id("nothing")))[0] == 66
    code, said = failed(text, "--voice=robot")
    assert (code, 'no voice "robot"' in said) == (78, True)
    without = database_workshop.root / "without"
    without.mkdir()
    (without / "espeakng_loader.py").write_text("raise ImportError\n")
    done = database_workshop.execute("synops-tts", f"--node-id={text}", PYTHONPATH=str(without))
    assert (done.code, "pip install espeakng-loader" in done.stderr) == (78, True)


def test_signs_are_not_read_out() -> None:
    text = "# Tittel\n\nEn *viktig* [lenke](https://x.no/a_b).\nTo.\n\n![bilde](x.png)\n\n- punkt <b>en</b>\n\n```\nkode\n```\n"
    assert spoken_paragraphs("Overskrift", text) == ["Overskrift", "Tittel", "En viktig lenke. To.", "punkt en"]
    assert spoken_paragraphs("", "…\n\n***") == []
