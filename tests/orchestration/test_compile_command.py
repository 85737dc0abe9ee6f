"""`manage.py compile_orchestration`: what it prints where, its exit status, and that files alone need no database."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from orchestration.language import compile_recipe
from orchestration.vocabulary import database_vocabulary, vocabulary_problems
from synops.graph.models import Node
from tests.orchestration.language.stand_in import described
from tests.orchestration.language.test_spec import HUMAN, TECHNICAL

WRONG = HUMAN.replace("oppsummer samtalen", "opsummer samtalen")
LOOSE = "NÅR innspilling avsluttet\noppsummer samtalen\n"


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A file with the vocabulary."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(list(described())), encoding="utf-8")
    return str(path)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "podcast.ork"
    path.write_text(HUMAN, encoding="utf-8")
    return path


def run(*args: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("compile_orchestration", *args, stdout=out, stderr=err, no_color=True)
    except SystemExit as stop:
        return int(str(stop.code)), out.getvalue(), err.getvalue()
    except CommandError as error:
        return error.returncode, out.getvalue(), str(error)
    return 0, out.getvalue(), err.getvalue()


def test_a_form_goes_to_stdout_and_what_is_wrong_beside_it(recipe: Path, tools: str) -> None:
    assert run(str(recipe), "--tools", tools, "--to", "technical") == (0, TECHNICAL, "")
    recipe.write_text(TECHNICAL, encoding="utf-8")
    assert run(str(recipe), "--tools", tools, "--to", "human", "--from", "technical") == (0, HUMAN, "")
    recipe.write_text(WRONG, encoding="utf-8")
    status, out, err = run(str(recipe), "--tools", tools, "--to", "json")
    assert (status, out) == (1, "")
    assert 'Mente du: "oppsummer"?' in err


def test_one_record_with_the_wished_form_on_errors_too(recipe: Path, tools: str) -> None:
    status, out, err = run(str(recipe), "--tools", tools, "--to", "technical", "--format", "json")
    record = json.loads(out)
    assert (status, err, record["ok"], record["compiled"]) == (0, "", True, TECHNICAL)
    recipe.write_text(WRONG, encoding="utf-8")
    status, out, err = run(str(recipe), "--tools", tools, "--format", "json")
    record = json.loads(out)
    assert (status, err, record["ok"], record["compiled"]) == (1, "", False, None)
    assert [item["code"] for item in record["diagnostics"]] == ["ORK-301"]
    assert {line["line"]: line["status"] for line in record["lines"]}[6] == "error"


def test_many_files_are_one_process_and_annotations_name_each(recipe: Path, tools: str, tmp_path: Path) -> None:
    other = tmp_path / "feil, 100%.ork"
    other.write_text(WRONG, encoding="utf-8")
    status, out, _ = run(str(recipe), str(other), "--tools", tools, "--format", "github")
    assert status == 1
    assert out.startswith("::error file=")
    assert "feil%2C 100%25.ork,line=6,col=4,endColumn=12,title=ORK-301 ukjent-verb::" in out


def test_fix_check_and_denied_warnings(recipe: Path, tools: str) -> None:
    recipe.write_text(LOOSE, encoding="utf-8")
    assert run(str(recipe), "--tools", tools, "--deny-warnings")[0] == 1
    assert run(str(recipe), "--tools", tools)[0] == 0
    assert run(str(recipe), "--tools", tools, "--check", "--to", "human")[0] == 1
    assert run(str(recipe), "--tools", tools, "--fix", "--deny-warnings")[0] == 0
    assert recipe.read_text(encoding="utf-8") == "NÅR innspilling avsluttet\n1. oppsummer samtalen\n"
    recipe.write_text(HUMAN, encoding="utf-8")
    assert run(str(recipe), "--tools", tools, "--check", "--to", "human") == (0, "", "")


def test_explain_needs_neither_recipe_nor_tools() -> None:
    status, out, _ = run("--explain", "ORK-602", "--lang", "en")
    assert status == 0
    assert "indent the line" in out
    assert run("--explain", "ORK-999")[0] == 2


@pytest.mark.parametrize("args", [("nowhere.ork",), ("a.ork", "--all"), (), ("--node", "x"), ("--all", "--fix")])
def test_wrong_usage_is_two(args: tuple[str, ...], tools: str, db: None) -> None:
    vocabulary = () if "--all" in args or "--node" in args else ("--tools", tools)
    assert run(*args, *vocabulary)[0] == 2


def test_a_vocabulary_that_cannot_be_read_is_two(recipe: Path, tmp_path: Path) -> None:
    assert run(str(recipe), "--tools", str(tmp_path / "nothing"))[0] == 2
    assert run(str(recipe), "--tools", "[{}]")[0] == 2
    assert run(str(recipe), "--tools", "{")[0] == 2


@pytest.mark.django_db
def test_nodes_are_compiled_with_the_tools_and_traits_in_the_database() -> None:
    for tool in described():
        Node.objects.create(node_kind="cli_tool", title=str(tool["name"]), metadata=dict(tool))
    gone = {"name": "synops-gone", "aliases": ["tryll"], "available": False}
    Node.objects.create(node_kind="cli_tool", title="synops-gone", metadata=gone)
    Node.objects.create(node_kind="collection", title="x", metadata={"traits": ["Lokalradio"]})
    text = HUMAN.replace("har podcast", "har lokalradio")
    node = Node.objects.create(node_kind="orchestration", title="Podkast", content=text)
    status, out, _ = run("--node", str(node.pk), "--to", "technical")
    assert status == 0
    assert 'samling.har_trait("lokalradio")' in out
    assert run("--all")[0] == 0
    node.content = text.replace("oppsummer samtalen", "tryll")
    node.save()
    assert run("--all")[0] == 1
    assert run("--node", "0190f5a6-0000-7000-8000-00000000dead")[0] == 2


@pytest.mark.django_db
def test_a_new_tool_cannot_take_the_words_of_an_old_one() -> None:
    Node.objects.create(
        node_kind="cli_tool", title="synops-old", metadata={"name": "synops-old", "aliases": {"nb": ["vurder"]}}
    )
    newer = {"name": "synops-new", "aliases": {"nb": ["vurder", "bedøm"]}}
    Node.objects.create(node_kind="cli_tool", title="synops-new", metadata=newer, created_at="2999-01-01T00:00Z")
    (problem,) = vocabulary_problems()
    assert (problem.tool, problem.other, problem.verb) == ("synops-new", "synops-old", "vurder")
    words = database_vocabulary()
    plan = compile_recipe("NÅR innspilling avsluttet\n1. vurder\n2. bedøm", words).plan
    assert plan is not None
    assert plan.tools() == ("synops-old", "synops-new")


def test_standard_input_and_no_database_at_all(tools: str) -> None:
    environment = {**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}
    command = [sys.executable, "manage.py", "compile_orchestration", "-", "--tools", tools, "--to", "technical"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, input=b"\xff\xfe" + HUMAN.encode(), capture_output=True, env=environment, cwd=root)
    assert done.returncode == 1  # bytes that are no text are diagnostics, not an exception
    assert b"Traceback" not in done.stderr
    done = subprocess.run(command, input=HUMAN.encode(), capture_output=True, env=environment, cwd=root)
    assert (done.returncode, done.stdout.decode()) == (0, TECHNICAL)
