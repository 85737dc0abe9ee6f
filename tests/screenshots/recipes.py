"""What editors see in the pictures: recipes that start and watch each other, a failure with its answer, nodes of each kind."""

from __future__ import annotations

import json
from math import sin
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from orchestration import circles, observing
from orchestration.answers import answer, claim
from orchestration.models import Considered, Orchestration, Run, WorkItem
from orchestration.recipes import Draft, activate, save
from orchestration.states import Reason
from orchestration.work_items import NewItem, open_item
from synops.demo.data import RECORDING
from synops.graph.models import Edge, Node, TranscriptionSegment
from synops.store.files import FileStore
from synops.tools import notify, render, rss, suggest_edges, summarize, transcribe, tts, waveform
from tests.orchestration.arrange import add_tools, end
from tests.people import make_node

TOOLS = (notify, render, rss, suggest_edges, summarize, transcribe, tts, waveform)
PODCAST = """NÅR innspilling avsluttet
HVIS samling har podcast OG lyd

1. transkriber lydfilen (stor modell)
   ved feil: transkriber lydfilen (medium modell)
2. oppsummer samtalen
3. oppdater rss-feed

ved feil: opprett oppgave "Podkasten feilet" (bug)
"""
BETTER = PODCAST.replace("(stor modell)\n   ved feil: transkriber lydfilen (medium modell)", "(medium modell)")
MINUTES = "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n2. oppsummer samtalen\n"
MISTAKEN = """NÅR innspilling avsluttet

1. transkrirber lydfilen (stor modell)
2. send epost til deltakerne
3. oppdater rss-feed
"""
WISH = "Når en innspilling er avsluttet, transkriber lydfilen, oppsummer samtalen og oppdater rss-feed"
ARTICLE = """# Nytt kulturhus på Ås

Kommunestyret vedtok **17 mot 12** å bygge nytt kulturhus ved Årungen.

- Byggestart i mai
- Åpning høsten 2028

> «Dette har vi ventet på i tjue år», sier ordfører Øystein Ødegård.
"""
SENTENCES = (
    "God kveld og velkommen til Ærlig talt.",
    "I kveld handler det om øyene.",
    "Først til Åse Bråten, som har bodd der ute i førti år.",
)


def build_recipes(boss: User, places: list[Node]) -> dict[str, Any]:
    """Fill in; what the pictures need to find their pages."""
    add_tools(*(tool.DESCRIPTION.to_json() for tool in TOOLS))
    home = places[0]
    home.metadata["traits"] = ["podcast"]
    home.save()
    podcast = recipe("Podkast: opptak → publisering", PODCAST, boss, home)
    tell = recipe(
        "Varsle redaksjonen om ny episode", "NÅR oppskriften er fullført\n\n1. varsle redaksjonen\n", boss, home
    )
    aloud = recipe("Les opp sammendraget", "NÅR oppskriften er fullført\n\n1. les opp sammendraget\n", boss, home)
    minutes = recipe(
        "Møtereferat", "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n2. oppsummer samtalen\n", boss, places[1]
    )
    circles.link(podcast.pk, tell.pk)
    circles.link(podcast.pk, aloud.pk)
    for one in (podcast, tell):
        activate(one.pk, user=boss)
    talk = recording(home)
    observing.observe(minutes.pk, talk.pk)
    end(talk)
    save(Draft(text=PODCAST + "# Musikken klippes for hånd\n"), recipe_id=podcast.pk, user=boss)
    Considered.objects.create(orchestration_id=podcast.pk, reason=Reason.CONDITION, times=4)
    run = failed_run(podcast, home)
    return {
        "podcast": podcast,
        "failed_run": run,
        "wish": recipe("Et ønske", WISH, boss, home, executor="bot"),
        "talk": talk,
        "article": make_node("article", "Nytt kulturhus på Ås", into=home, content=ARTICLE),
        "preset": make_node("ai_preset", "Rens tekst", into=home, content="Rett tegnsetting og stavefeil. Endre ikke meningen."),
        "tool": Node.objects.get(title="synops-transcribe"),
        "collection": home,
        **items(boss, home, podcast, run),
    }  # fmt: skip


def recipe(title: str, text: str, boss: User, place: Node, **draft: Any) -> Orchestration:
    saved = save(Draft(text=text, title=title, collections=[place.pk], **draft), user=boss)
    found: Orchestration = Orchestration.objects.get(pk=saved.id)
    return found


def recording(place: Node) -> Node:
    """A conversation with a file that can be heard, and its transcript."""
    store = FileStore.from_environment()
    stored = store.put_path(RECORDING)
    heights = [int(20 + 90 * abs(sin(number / 9) * sin(number / 31))) for number in range(400)]
    peaks = {"data": [peak for height in heights for peak in (-height, height)]}
    drawn = {"json_hash": store.put_bytes(json.dumps(peaks).encode()).digest}
    talk = make_node("communication", "Ærlig talt, episode 12", into=place)
    sound = make_node(
        "media", "episode-12.mp3", into=place,
        metadata={"cas_hash": stored.digest, "mime": "audio/mpeg", "size": stored.size, "waveform": drawn},
    )  # fmt: skip
    Edge.objects.create(source=talk, target=sound, edge_type="has_media")
    for number, sentence in enumerate(SENTENCES):
        TranscriptionSegment.objects.create(
            node=sound, seq=number, start_ms=number * 7_400, end_ms=number * 7_400 + 7_000, content=sentence
        )
    return talk


def failed_run(recipe: Orchestration, place: Node) -> Run:
    run = Run.objects.create(
        orchestration_id=recipe.pk, collection=place, title=recipe.title, compiled=recipe.compiled, version=1,
        trigger={"trigger_event": "communication.ended"}, status="failed", finished_at=timezone.now(),
    )  # fmt: skip
    words = {
        1: ("transkriber lydfilen (stor modell)", "synops-transcribe"),
        2: ("oppsummer samtalen", "synops-summarize"),
    }
    for step, alternative, state, error in (
        (1, 0, "failed", "the model large-v3 is not installed"),
        (1, 1, "succeeded", ""),
        (2, 0, "failed", "no model answers at http://127.0.0.1:11434"),
    ):
        run.steps.create(
            step=step, alternative=alternative, text=words[step][0], tool=words[step][1],
            state=state, error=error, exit_code=69 if error else 0, finished_at=timezone.now(),
        )  # fmt: skip
    return run


def items(boss: User, place: Node, recipe: Orchestration, run: Run) -> dict[str, Any]:
    """An item that waits for somebody, one that the reader holds, and one whose answer waits for a decision."""
    held = failure(place, recipe, run, "«Podkast» feilet i steg 2")
    claim(boss, held.pk)
    answered = failure(place, recipe, run, "«Podkast» feilet i steg 1")
    answer(
        boss, answered.pk, claim(boss, answered.pk).lease, BETTER, note="Den store modellen finnes ikke på maskinen."
    )
    failure(place, recipe, run, "Lydfilen til episode 11 mangler", "sjekk")
    return {"held": held, "answered": answered}


def failure(place: Node, recipe: Orchestration, run: Run, title: str, tag: str = "bug") -> WorkItem:
    text = f"Oppskrift: {recipe.title} (versjon 1)\nSteg 2 (linje 6): oppsummer samtalen\nAvslutningskode: 69\n"
    details = {"orchestration_id": str(recipe.pk), "run_id": str(run.pk), "answerable": True}
    item = NewItem(place.pk, title, text, title, tags=[tag], sources=[recipe.pk], details=details)
    with connection.cursor() as cursor:
        found: WorkItem = WorkItem.objects.get(pk=open_item(cursor, item)[0])
    return found
