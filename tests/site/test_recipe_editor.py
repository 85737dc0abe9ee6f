"""The recipe editor in a real browser: a recipe is written, put right and saved; nothing is ever lost.

What axe says of it, with a mistake, a draft and a trial, is in `test_journeys.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.models import Orchestration, Run, WorkItem
from orchestration.recipes import Draft, save
from synops.graph.models import Edge, Node
from synops.tools import notify, rss, summarize, transcribe
from tests.orchestration.arrange import add_tools, make_recording
from tests.people import make_collection, make_user
from tests.site.browsing import Browsing, signed_in
from tests.web import WebServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADD = "/admin/orchestration/orchestration/add/"
WRITER = (
    "add_orchestration",
    "change_orchestration",
    "view_orchestration",
    "view_run",
    "activate_orchestration",
    "run_orchestration",
)
RECIPE = "NÅR innspilling avsluttet\n1. transkriber lydfilen\n2. oppsummer samtalen"
DREAM = "Når en innspilling er avsluttet, oppsummer samtalen og bak en kake"
ENGLISH = "WHEN a recording ended\n1. transcribe the audio file\n2. summarise the conversation"


@pytest.fixture
def editor(site: WebServer, shared_browser: Any) -> Any:
    add_tools(*(tool.DESCRIPTION.to_json() for tool in (notify, rss, summarize, transcribe)))
    user = make_user("kari", *(f"orchestration.{name}" for name in WRITER))
    make_collection("Redaksjonen", user)
    make_collection("Kulturen", user)
    return user


def type_text(browsing: Browsing, text: str) -> None:
    """Type into CodeMirror as a person does."""
    browsing.page.locator(".cm-content").click()
    replace_text(browsing, text)


def replace_text(browsing: Browsing, text: str) -> None:
    browsing.page.keyboard.press("Control+A")
    browsing.page.keyboard.press("Delete")
    for number, line in enumerate(text.split("\n")):
        if number:
            browsing.page.keyboard.press("Escape")  # an open list of proposals would take the Enter
            browsing.page.keyboard.press("Enter")
        browsing.page.keyboard.insert_text(line)


def verdict(browsing: Browsing, text: str) -> None:
    browsing.page.locator("#editor-verdict").filter(has_text=text).wait_for()


def saved(page: Any) -> None:
    page.locator("[name=_save]").click()
    page.locator(".messagelist .success").wait_for()


@pytest.mark.parametrize(
    ("language", "text", "wrong", "word", "one_error", "clean", "empty"),
    [
        ("nb", RECIPE, ("transkriber", "transkrirber"), "transkrirber", "1 feil", "Ingen feil", "Begynn med NÅR"),
        ("en", ENGLISH, ("summarise", "sumarise"), "sumarise", "1 error", "No errors", "Begin with "),
    ],
    ids=["nb", "en"],
)
def test_from_an_empty_editor_to_a_saved_and_active_recipe(
    site: WebServer,
    shared_browser: Any,
    editor: Any,
    language: str,
    text: str,
    wrong: tuple[str, str],
    word: str,
    one_error: str,
    clean: str,
    empty: str,
):
    with signed_in(shared_browser, site, editor, language=language) as browsing:
        page = browsing.open(ADD)
        page.fill("#id_title", "Min første")
        page.get_by_label("Redaksjonen").check()
        type_text(browsing, text.replace(*wrong))
        verdict(browsing, one_error)
        replace_text(browsing, "# what I want to have done")
        verdict(browsing, empty)
        assert page.locator(".cm-lintRange-error, #editor-lines li").count() == 0
        replace_text(browsing, text.replace(*wrong))
        verdict(browsing, one_error)
        marked = page.locator(".cm-lintRange-error")
        assert marked.first.inner_text() == word
        page.locator("#editor-lines .fixes button").first.click()
        verdict(browsing, clean)
        assert page.locator(".cm-lintRange-error").count() == 0
        assert page.locator("#editor-lines .chosen").count() == 2
        page.locator("#tab-technical").click()
        assert "synops-transcribe --cas-hash {event.cas_hash}" in page.locator("#editor-view").inner_text()
        page.locator("#show-compiled").click()
        assert '"communication.ended"' in page.locator("#editor-view").inner_text()
        page.locator("#tab-human").click()
        assert page.input_value("#id_content") == text
        page.locator("#editor-event").select_option("node.published")
        page.locator(".cm-content").filter(has_text="publi").wait_for()
        page.locator("#editor-event").select_option("communication.ended")
        verdict(browsing, clean)
        saved(page)
        page.locator('form[action$="/activate/"] button').click()
        page.locator(".headline .state-active").wait_for()
        recipe = Orchestration.objects.get(title="Min første")
        assert (recipe.content.splitlines()[1:], recipe.state) == (text.splitlines()[1:], "active")
        assert browsing.complaints == []


def test_what_is_typed_while_the_server_is_away_is_kept_and_checked_later(
    site: WebServer, shared_browser: Any, editor: Any
):
    with signed_in(shared_browser, site, editor) as browsing:
        page = browsing.open(ADD)
        page.route("**/editor/check/", lambda route: route.abort())
        type_text(browsing, RECIPE)
        verdict(browsing, "svarer ikke")
        assert page.input_value("#id_content") == RECIPE
        page.unroute("**/editor/check/")
        page.locator(".cm-content").press_sequentially(" ")
        verdict(browsing, "Ingen feil")


def test_a_second_person_is_told_and_loses_nothing(site: WebServer, shared_browser: Any, editor: Any):
    other_person = make_user("per", *(f"orchestration.{name}" for name in WRITER))
    Node.objects.create(node_kind="person", title="per", user=other_person).edges_out.create(
        target=Node.objects.get(title="Redaksjonen"), edge_type="member"
    )
    with signed_in(shared_browser, site, editor) as browsing:
        page = browsing.open(ADD)
        page.fill("#id_title", "Vår")
        page.get_by_label("Redaksjonen").check()
        type_text(browsing, RECIPE)
        saved(page)
        recipe = Orchestration.objects.get(title="Vår")
        with signed_in(shared_browser, site, other_person) as second:
            other = second.open(page.url.removeprefix(site.url))
            other.locator("#id_title").fill("Vår felles")
            other.locator(".cm-content").click()
            other.keyboard.press("Control+End")
            other.keyboard.insert_text("\n3. oppdater rss-feed")
            saved(other)
        type_text(browsing, RECIPE + "\n3. varsle redaksjonen")
        page.locator("[name=_save]").click()
        page.locator(".errorlist").first.wait_for()
        assert "per lagret versjon 2" in page.locator(".errorlist").first.inner_text()
        assert page.input_value("#id_content").endswith("varsle redaksjonen")
        page.locator("#id_overwrite").check()
        saved(page)
        recipe.refresh_from_db()
        assert (recipe.version, recipe.content.endswith("varsle redaksjonen")) == (3, True)


def test_a_wish_becomes_a_draft_that_a_person_approves(site: WebServer, shared_browser: Any, editor: Any):
    with signed_in(shared_browser, site, editor) as browsing:
        page = browsing.open(ADD)
        page.fill("#id_title", "Et ønske")
        page.get_by_label("Redaksjonen").check()
        page.select_option("#id_executor", "bot")
        type_text(browsing, "Når en innspilling er avsluttet, transkriber lydfilen og oppsummer samtalen")
        page.locator("#draft-now").click()
        page.locator("#draft-checks li").first.wait_for()
        assert page.locator("#draft-checks .line-ok").count() == 3
        page.locator("#draft-approve").click()
        page.locator(".messagelist").wait_for()
        assert page.locator(".messagelist .error").all_inner_texts() == []
        page.locator(".headline .state-active").wait_for()
        recipe = Orchestration.objects.get(title="Et ønske")
        assert recipe.executor == "script"
        assert [version.number for version in recipe.versions.order_by("number")] == [1, 2]
        assert browsing.complaints == []


def tab_to(browsing: Browsing, selector: str) -> None:
    """Press Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(150):
        browsing.page.keyboard.press("Tab")
        if browsing.page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} can't be reached by Tab")


def test_with_the_keyboard_alone_and_in_a_narrow_window(site: WebServer, shared_browser: Any, editor: Any):
    with signed_in(shared_browser, site, editor, viewport={"width": 390, "height": 844}) as browsing:
        page = browsing.open(ADD)
        tab_to(browsing, "#id_title")
        page.keyboard.insert_text("Uten mus")
        tab_to(browsing, "[name=collections]")
        page.keyboard.press("Space")
        tab_to(browsing, ".editor-host")
        replace_text(browsing, RECIPE.replace("oppsummer", "opsumer"))
        verdict(browsing, "1 feil")
        tab_to(browsing, "#editor-lines .fixes button")
        page.keyboard.press("Enter")
        verdict(browsing, "Ingen feil")
        page.keyboard.press("Control+s")
        page.locator(".messagelist .success").wait_for()
        tab_to(browsing, "#tab-human")
        page.keyboard.press("ArrowRight")
        page.locator("#editor-view").filter(has_text="synops-summarize").wait_for()
        page.keyboard.press("ArrowLeft")
        page.locator(".cm-content").wait_for()
        page.evaluate("document.activeElement.blur()")
        tab_to(browsing, 'form[action$="/activate/"] button')
        page.keyboard.press("Enter")
        page.locator(".headline .state-active").wait_for()
        recipe = Orchestration.objects.get(title="Uten mus")
        assert (recipe.content, recipe.state) == (RECIPE, "active")


def test_a_recipe_is_dragged_onto_what_it_is_to_watch_and_a_dream_runs_what_exists(
    site: WebServer, shared_browser: Any, editor: Any
):
    home = Node.objects.get(title="Redaksjonen")
    watching = save(Draft(text=RECIPE, title="Vokter", collections=[home.pk]), user=editor)
    dream = save(Draft(text=DREAM, title="Drøm", executor="dream", collections=[home.pk]), user=editor)
    talk = make_recording(home, "Møtet")
    with signed_in(shared_browser, site, editor) as browsing:
        page = browsing.open("/admin/cascade-map/")
        page.drag_and_drop(f'[data-recipe="{watching.id}"]', f'[data-node="{talk.pk}"]')
        page.locator(".messagelist .success").wait_for()
        assert Edge.objects.filter(source=watching.id, target=talk, edge_type="observes").exists()
        page = browsing.open(f"/admin/orchestration/orchestration/{dream.id}/change/")
        page.locator("#draft-now").click()
        page.locator("#draft-missing button").first.click()
        page.locator("#draft-missing .note").wait_for()
        assert WorkItem.objects.filter(edges_out__target__title="feature").exists()
        page.locator("#draft-run").click()
        page.locator("[name=node]").wait_for()
        assert page.locator("[name=node] option:checked").inner_text() == "Møtet (samtale)"
        page.locator(".submit-row [type=submit]").click()
        page.locator(".run .headline, .messagelist, .errorlist").first.wait_for()
        assert page.locator(".messagelist, .errorlist").all_inner_texts() == []
        run = Run.objects.get()
        assert [step.tool for step in run.steps.all()] == ["synops-summarize"]
        assert browsing.complaints == []


def test_without_javascript_the_form_saves_and_shows_the_compilation(site: WebServer, shared_browser: Any, editor: Any):
    with signed_in(shared_browser, site, editor, java_script_enabled=False) as browsing:
        page = browsing.open(ADD)
        page.fill("#id_title", "Uten skript")
        page.get_by_label("Redaksjonen").check()
        page.fill("#id_content", RECIPE)
        page.locator("[name=_save]").click()
        assert "✓" in page.locator(".without-script").inner_text()
        assert Node.objects.get(title="Uten skript").content == RECIPE
