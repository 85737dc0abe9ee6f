"""Dream mode and keeping: what exists, what is missing, what is asked for, and what a kept draft is."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from orchestration import recipes
from orchestration.drafting.drafts import Wish, draft, draft_for
from orchestration.drafting.dream import GAP, parts, request_tools, run_what_exists
from orchestration.drafting.keeping import DRAFTED, keep, lift, wish_text
from orchestration.manual import CannotRun
from orchestration.manual import Wish as ByHand
from orchestration.models import Orchestration, Run, Version
from orchestration.recipes import Draft, save
from synops.graph.models import Edge
from tests.llm.server import Text, model_server
from tests.orchestration.arrange import edge_targets, make_recording, open_items, steps_of
from tests.orchestration.drafting.conftest import put_tool
from tests.people import make_user

DREAM = "Lag en lydfil med sammendrag og send til deltakerne"
SCRIPT = """NÅR innspilling.avsluttet

1. synops-transcribe --cas-hash {event.cas_hash}
2. synops-brew
3. synops-summarize --communication-id {event.communication_id}
"""


@pytest.fixture
def recipe(collection):
    saved = save(Draft(text=DREAM, title="Drøm", executor="dream", collections=[collection.pk]), user=make_user("Kari"))
    return Orchestration.objects.get(pk=saved.id)


def dreamt(tmp_path, recipe, *script):
    with model_server(*script) as server:
        return draft_for(recipe.pk, environ=server.environ | {"SYNOPS_VAR": str(tmp_path)}), server


def test_a_wished_tool_is_an_answer_and_the_line_is_marked(tmp_path, recipe):
    found, server = dreamt(tmp_path, recipe, Text(SCRIPT))
    assert len(server.requests) == 1, "a missing tool is nothing that a model can put right"
    assert "synops-<verb>" in server.requests[0]["messages"][0]["content"]
    assert [(one.tool, one.phrase, one.line) for one in found.missing] == [("synops-brew", "synops-brew", 5)]
    assert ": synops-brew\n2. synops-brew\n" in found.text
    assert [(check.name, check.ok) for check in found.checks] == [
        ("tools", False),
        ("variables", True),
        ("syntax", True),
    ]
    assert open_items() == [], "nothing is asked for before the person says so"


def test_without_a_model_what_is_not_understood_stands_in_its_place(recipe):
    found = draft_for(recipe.pk, environ={})
    assert found.by == "vocabulary"
    assert not found.compiles
    assert found.missing
    assert "1. " in found.text


def test_a_request_is_a_work_item_about_the_recipe_and_the_same_wish_counts_up(tmp_path, recipe):
    found, _ = dreamt(tmp_path, recipe, Text(SCRIPT))
    (id,) = request_tools(recipe.pk, found.missing)
    assert request_tools(recipe.pk, found.missing) == [id]
    (item,) = open_items()
    assert "synops-brew" in item.title
    assert (item.metadata["times"], item.metadata["wanted"]) == (2, "synops-brew")
    assert edge_targets(item.pk, "source_material") == {recipe.pk}
    assert Edge.objects.filter(source=item, edge_type="tagged", target__title="feature").exists()


def test_a_kept_partial_script_is_a_draft_that_compiles_once_the_tool_is_there(tmp_path, recipe):
    found, _ = dreamt(tmp_path, recipe, Text(SCRIPT))
    saved = keep(recipe.pk, found.text)
    assert saved.state == "draft"
    assert saved.compilation
    assert [item.code for item in saved.compilation.errors] == ["ORK-701"]
    put_tool(
        {"name": "synops-brew", "description": {}, "job_types": ["brew"], "params": [], "aliases": {"nb": ["brygg"]}}
    )
    from orchestration.upkeep import recompile_all

    recompile_all()
    recipe.refresh_from_db()
    assert recipe.state == "draft", "only a person makes it active"
    assert recipe.compiled is not None


def test_what_exists_runs_once_by_hand(collection, recipe):
    recording = make_recording(collection)
    wish = ByHand(recipe.pk, node_id=recording.pk)
    run = Run.objects.get(pk=run_what_exists(wish, SCRIPT))
    assert [step["number"] for step in run.compiled["steps"]] == [1, 3], "steps keep their numbers"
    assert steps_of(run) == [(1, 0, "synops-transcribe", "started")]
    assert run.trigger["trigger_event"] == "manual"
    recipe.refresh_from_db()
    assert recipe.content == DREAM, "the recipe itself is as it was"


def test_a_step_that_needs_what_is_missing_is_left_out_too(collection):
    text = (
        SCRIPT
        + "4. synops-rss --collection-id {steps.2.collection}\n5. synops-rss --collection-id {event.collection_id}\n"
    )
    found = parts(text)
    assert found.exists
    assert [step.number for step in found.exists.steps] == [1, 3, 5]
    assert found.left_out == ("2. synops-brew", "synops-rss --collection-id {steps.2.collection}")
    assert GAP not in str(found.exists)


@pytest.mark.parametrize(
    "text", ["", "blabla", "NÅR innspilling.avsluttet\n\n1. synops-brew\n", "1.\n2.\n3.", "x\n" * 300]
)
def test_when_nothing_exists_it_says_so(recipe, text):
    with pytest.raises(CannotRun):
        run_what_exists(ByHand(recipe.pk), text)


def test_a_kept_draft_is_a_script_and_a_draft_and_the_wish_comes_back(recipe, collection):
    recipes.save(Draft(text=DREAM, executor="bot"), recipe_id=recipe.pk)
    found = draft(Wish("transkriber lydfilen når møtet er slutt"), {})
    keep(recipe.pk, found.text, user=make_user("Per"))
    recipe.refresh_from_db()
    assert (recipe.executor, recipe.state, recipe.content) == ("script", "draft", found.text)
    assert wish_text(recipe) == DREAM
    newest = Version.objects.filter(orchestration_id=recipe.pk).first()
    assert newest
    assert (newest.note, newest.author.get_username()) == (DRAFTED, "Per")
    recipes.activate(recipe.pk)
    lift(recipe.pk)
    recipe.refresh_from_db()
    assert (recipe.executor, recipe.state, recipe.content) == ("bot", "draft", DREAM)


def test_keeping_over_an_active_recipe_leaves_a_draft_even_for_a_superuser(recipe, collection):
    keep(recipe.pk, "NÅR møtet er slutt\n\n1. transkriber lydfilen\n")
    recipes.activate(recipe.pk)
    saved = keep(recipe.pk, "NÅR møtet er slutt\n\n1. oppsummer samtalen\n", user=make_user("Sjef", superuser=True))
    assert saved.state == "draft"


def test_the_command_drafts_keeps_and_exits_by_the_compilers_word(recipe, capsys):
    call_command("draft_orchestration", "transkriber lydfilen når møtet er slutt")
    printed = capsys.readouterr()
    assert printed.out == "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n"
    assert "✓ tools" in printed.err
    with pytest.raises(SystemExit) as ended:
        call_command("draft_orchestration", "blabla", "--format", "json")
    assert ended.value.code == 1
    assert json.loads(capsys.readouterr().out)["not_understood"] == ["blabla"]
    with pytest.raises(CommandError, match="--node"):
        call_command("draft_orchestration", "transkriber lydfilen", "--keep")
    recipes.save(Draft(text="transkriber lydfilen", executor="bot"), recipe_id=recipe.pk)
    call_command("draft_orchestration", "--node", str(recipe.pk), "--keep")
    recipe.refresh_from_db()
    assert recipe.executor == "script"


def test_the_console_script_runs_the_management_commands(monkeypatch, capsys):
    from orchestration import command_line

    seen = []
    monkeypatch.setattr("synops.command_line.main", seen.append)
    command_line.main(["--generate-system-prompt", "--effort", "1"])
    command_line.main(["compile", "x.txt"])
    assert seen == [
        ["synops-orchestrate", "draft_orchestration", "--generate-system-prompt", "--effort", "1"],
        ["synops-orchestrate", "compile_orchestration", "x.txt"],
    ]
    with pytest.raises(SystemExit) as ended:
        command_line.main(["dance"])
    assert ended.value.code == 2
    assert "synops-orchestrate {" in capsys.readouterr().err
