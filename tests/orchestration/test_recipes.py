"""Saving, activating and keeping recipes: versions, derived edges, what breaks and what comes back."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from jobs.tool_nodes import tool_node_id
from orchestration import recipes, seeds, upkeep
from orchestration.compiling import check
from orchestration.events import consume
from orchestration.models import Orchestration, Run, Tool, Version
from orchestration.recipes import CannotActivate, Draft, UnknownRecipe, activate, deactivate, save
from orchestration.versions import difference
from synops.graph.models import Edge, Node
from synops.tools.rss import DESCRIPTION as RSS
from synops.tools.summarize import DESCRIPTION as SUMMARIZE
from synops.tools.transcribe import DESCRIPTION as TRANSCRIBE
from tests.orchestration.arrange import edge_targets, end, make_recording, open_items, settle_outbox
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db

TEXT = """NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber lydfilen (stor modell)
2. oppdater rss-feed
"""
BROKEN = "NÅR innspilling avsluttet\n\n1. send epost til deltakerne\n"


def put_tool(described: dict) -> None:
    Node.objects.update_or_create(
        id=tool_node_id(described["name"]),
        defaults={"node_kind": "cli_tool", "title": described["name"], "metadata": {"available": True, **described}},
    )


@pytest.fixture
def collection():
    for description in (TRANSCRIBE, SUMMARIZE, RSS):
        put_tool(description.to_json())
    return make_collection("Podcast")


def recipe_of(saved) -> Orchestration:
    return Orchestration.objects.get(pk=saved.id)


def test_a_new_recipe_is_a_draft_with_its_compiled_form_trigger_edges_and_first_version(collection):
    user = make_user("Kari")
    saved = save(Draft(text=TEXT, title="Podkast", collections=[collection.pk]), user=user)
    recipe = recipe_of(saved)
    assert (recipe.state, recipe.title, recipe.content, recipe.language) == ("draft", "Podkast", TEXT, "nb")
    assert recipe.trigger == {"event": "communication.ended", "conditions": {"has_trait": "podcast"}}
    assert [step["alternatives"][0]["tool"] for step in recipe.compiled["steps"]] == [
        "synops-transcribe",
        "synops-rss",
    ]
    assert edge_targets(recipe.pk, "uses") == {tool_node_id("synops-transcribe"), tool_node_id("synops-rss")}
    assert edge_targets(recipe.pk, "belongs_to") == {collection.pk}
    version = Version.objects.get(orchestration=recipe.pk)
    assert (version.number, version.author, version.source) == (1, user, TEXT)
    assert Tool.objects.count() == 3


def test_text_with_errors_is_kept_as_a_draft_with_its_diagnostics_and_cannot_be_activated(collection):
    saved = save(Draft(text=BROKEN, collections=[collection.pk]))
    recipe = recipe_of(saved)
    assert recipe.compiled is None
    assert recipe.diagnostics[0]["severity"] == "error"
    with pytest.raises(CannotActivate, match="send epost"):
        activate(recipe.pk)
    assert recipe_of(saved).state == "draft"


def test_equal_text_makes_no_new_version_and_line_ends_and_marks_are_tidied(collection):
    first = save(Draft(text=TEXT))
    again = save(Draft(text="\ufeff" + TEXT.replace("\n", "\r\n")), recipe_id=first.id)
    assert (again.version, again.is_new_version) == (1, False)
    changed = save(Draft(text=TEXT + "3. oppsummer samtalen\n"), recipe_id=first.id)
    assert (changed.version, changed.is_new_version) == (2, True)
    newer, older = Version.objects.filter(orchestration=first.id).order_by("-number")
    added = [line.text for line in difference(older, newer) if line.mark == "+"]
    assert added == ["3. oppsummer samtalen"]


def test_only_whoever_may_can_activate_and_only_a_superuser_one_without_a_collection(collection):
    saved = save(Draft(text=TEXT, collections=[collection.pk]))
    everywhere = save(Draft(text=TEXT))
    plain, editor = make_user("plain"), make_user("editor", "orchestration.activate_orchestration")
    boss = make_user("boss", superuser=True)
    with pytest.raises(CannotActivate):
        activate(saved.id, user=plain)
    activate(saved.id, user=editor)
    assert recipe_of(saved).state == "active"
    with pytest.raises(CannotActivate, match=r"collection|samling"):
        activate(everywhere.id, user=editor)
    activate(everywhere.id, user=boss)
    with pytest.raises(UnknownRecipe):
        activate(uuid4())


def test_an_active_recipe_stays_active_only_for_those_who_may_activate(collection):
    editor = make_user("editor", "orchestration.activate_orchestration")
    saved = save(Draft(text=TEXT, collections=[collection.pk]), user=editor)
    activate(saved.id, user=editor)
    assert save(Draft(text=TEXT + "# a\n"), recipe_id=saved.id, user=editor).state == "active"
    assert save(Draft(text=TEXT + "# b\n"), recipe_id=saved.id, user=make_user("plain")).state == "draft"
    activate(saved.id, user=editor)
    assert save(Draft(text=BROKEN), recipe_id=saved.id, user=editor).state == "draft"


def test_a_deactivated_recipe_starts_nothing(collection):
    collection.metadata = {**collection.metadata, "traits": ["podcast"]}
    collection.save()
    saved = save(Draft(text=TEXT, collections=[collection.pk]))
    activate(saved.id)
    recording = make_recording(collection)
    deactivate(saved.id)
    end(recording)
    consume()
    assert not Run.objects.exists()


@pytest.mark.parametrize("executor", ["bot", "dream"])
def test_free_text_is_kept_but_not_compiled_and_not_activated(collection, executor):
    saved = save(Draft(text="Gjør episoden klar", executor=executor, collections=[collection.pk]))
    assert (recipe_of(saved).compiled, saved.compilation) == (None, None)
    with pytest.raises(CannotActivate):
        activate(saved.id)


def test_lifting_a_script_to_free_text_deactivates_it(collection):
    saved = save(Draft(text=TEXT, collections=[collection.pk]))
    activate(saved.id)
    save(Draft(text=TEXT, executor="bot"), recipe_id=saved.id)
    recipe = recipe_of(saved)
    assert (recipe.state, recipe.compiled) == ("draft", None)


def test_mentions_follow_the_text_and_those_drawn_by_hand_stay(collection):
    channel = make_node("communication", "Redaksjonen", into=collection)
    drawn = make_node("communication", "Tegnet", into=collection)
    by_id = make_node("content", "Sak")
    text = f'# {by_id.pk}\n{TEXT}\nved feil: opprett oppgave "Redaksjonen"\n'
    saved = save(Draft(text=text, collections=[collection.pk]))
    Edge.objects.create(source_id=saved.id, target=drawn, edge_type="mentions")
    assert edge_targets(saved.id, "mentions") == {channel.pk, drawn.pk, by_id.pk}
    save(Draft(text=TEXT), recipe_id=saved.id)
    assert edge_targets(saved.id, "mentions") == {drawn.pk}


def vanish(name: str, gone: bool = True) -> None:
    tool = Node.objects.get(pk=tool_node_id(name))
    tool.metadata = {**tool.metadata, "available": not gone}
    tool.save()
    upkeep.on_tools_changed()


def test_an_active_recipe_that_a_tool_breaks_is_deactivated_with_a_work_item_and_comes_back_with_it(collection):
    saved = save(Draft(text=TEXT, title="Podkast", collections=[collection.pk]))
    activate(saved.id)
    vanish("synops-rss")
    recipe = recipe_of(saved)
    assert (recipe.state, recipe.compiled) == ("broken", None)
    [work] = open_items()
    assert "Podkast" in work.title
    assert "oppdater rss-feed" in work.content
    assert edge_targets(work.pk, "source_material") == {saved.id}
    vanish("synops-rss", gone=False)
    recipe = recipe_of(saved)
    assert recipe.state == "active"
    assert open_items() == []
    assert [v.note for v in Version.objects.filter(orchestration=saved.id).order_by("number")] == [
        "",
        "tools_changed",
        "tools_changed",
    ]


def test_a_recipe_that_comes_back_with_another_meaning_waits_for_a_person(collection):
    saved = save(Draft(text=TEXT, collections=[collection.pk]))
    activate(saved.id)
    vanish("synops-rss")
    other = RSS.to_json() | {"name": "synops-feed", "job_types": ["feed"]}
    put_tool(other)
    upkeep.on_tools_changed()
    assert recipe_of(saved).state == "draft"


def test_a_change_of_words_that_changes_nothing_leaves_no_version(collection):
    saved = save(Draft(text=TEXT, collections=[collection.pk]))
    activate(saved.id)
    before = recipe_of(saved).metadata["lexicon_hash"]
    put_tool({"name": "synops-new", "version": "1", "description": {}, "aliases": {"nb": ["nyskap"]}, "params": []})
    upkeep.on_tools_changed()
    recipe = recipe_of(saved)
    assert recipe.metadata["lexicon_hash"] != before
    assert (recipe.state, recipe.version) == ("active", 1)


def test_text_changed_past_the_editor_is_compiled_and_a_draft_again(collection):
    saved = save(Draft(text=TEXT, collections=[collection.pk]))
    activate(saved.id)
    assert upkeep.recompile_edited() == 0
    with connection.cursor() as cursor:
        cursor.execute("UPDATE nodes SET content = %s WHERE id = %s", [TEXT + "3. oppsummer samtalen\n", saved.id])
    assert upkeep.recompile_edited() == 1
    recipe = recipe_of(saved)
    assert (recipe.state, recipe.version, len(recipe.compiled["steps"])) == ("draft", 2, 3)
    assert upkeep.recompile_edited() == 0


def test_the_shipped_recipes_are_drafts_of_the_system_collection_and_come_once(collection):
    there = {recipe.title: recipe for recipe in Orchestration.objects.filter(metadata__has_key="seed")}
    assert set(there) == {
        "Podcast: opptak → publisering",
        "Publisering: artikkel → render → RSS",
        "AI-beriking: foreslå koblinger",
        "Planlagt publisering",
        "Podcast: oppsummering → lyd (TTS)",
    }
    assert {recipe.state for recipe in there.values()} == {"draft"}
    assert edge_targets(seeds.PODCAST_ID, "triggers") == {seeds.seed_id("aloud")}
    call_command("migrate", verbosity=0)
    assert Orchestration.objects.filter(metadata__has_key="seed").count() == 5
    upkeep.on_tools_changed()
    podcast = Orchestration.objects.get(pk=seeds.PODCAST_ID)
    assert podcast.trigger["conditions"] == {"has_trait": "podcast", "has_media": "audio"}
    assert len(podcast.compiled["steps"][0]["alternatives"]) == 3
    aloud = Orchestration.objects.get(pk=seeds.seed_id("aloud"))
    assert aloud.compiled is None
    assert aloud.diagnostics


def test_a_shipped_recipe_that_a_person_changed_stays_changed(collection):
    save(Draft(text=TEXT), recipe_id=seeds.PODCAST_ID)
    call_command("migrate", verbosity=0)
    assert Orchestration.objects.get(pk=seeds.PODCAST_ID).content == TEXT


def test_checking_a_text_saves_nothing_and_gives_the_whole_record(collection):
    before = Node.objects.count()
    record = check(BROKEN)
    assert (record["ok"], record["compiled"]) == (False, None)
    assert check(TEXT)["ok"]
    assert Node.objects.count() == before


@pytest.mark.parametrize("text", ["", "\x00", "a" * 100_000, "NÅR\u202e", "1. 1. 1.", "\ud800", "{{{{", "'" * 999])
def test_any_text_can_be_saved(collection, text):
    saved = save(Draft(text=text, title="\x00<b>", note="\x00"))
    assert recipe_of(saved).state == "draft"


def test_saving_in_the_same_transaction_as_the_node_lets_no_event_wait(collection):
    settle_outbox()
    save(Draft(text=TEXT, collections=[collection.pk]))
    assert consume().events > 0
    assert recipes.ACTIVATE == "orchestration.activate_orchestration"
