"""The recipe editor in a real browser: a recipe is written, put right and saved; nothing is ever lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from orchestration.models import Orchestration
from synops.graph.models import Node
from synops.tools import notify, rss, summarize, transcribe
from tests.orchestration.arrange import add_tools
from tests.people import make_collection, make_user
from tests.site.browsing import Browsing, browser
from tests.web import WebServer, web_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WRITER = (
    "add_orchestration",
    "change_orchestration",
    "view_orchestration",
    "activate_orchestration",
    "run_orchestration",
)
RECIPE = "NÅR innspilling avsluttet\n1. transkriber lydfilen\n2. oppsummer samtalen"


@pytest.fixture
def server(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with web_server() as running:
        yield running


@pytest.fixture
def editor(server: WebServer) -> Any:
    add_tools(*(tool.DESCRIPTION.to_json() for tool in (notify, rss, summarize, transcribe)))
    user = make_user("kari", *(f"orchestration.{name}" for name in WRITER))
    make_collection("Redaksjonen", user)
    return user


def type_text(browsing: Browsing, text: str) -> None:
    """Type into CodeMirror as a person does."""
    content = browsing.page.locator(".cm-content")
    content.click()
    browsing.page.keyboard.press("Control+A")
    browsing.page.keyboard.press("Delete")
    for number, line in enumerate(text.split("\n")):
        if number:
            browsing.page.keyboard.press("Escape")  # an open list of proposals would take the Enter
            browsing.page.keyboard.press("Enter")
        browsing.page.keyboard.insert_text(line)


def verdict(browsing: Browsing, text: str) -> None:
    browsing.page.locator("#editor-verdict").filter(has_text=text).wait_for()


def test_from_an_empty_editor_to_a_saved_and_active_recipe(server: WebServer, editor: Any):
    with browser(server, editor) as browsing:
        page = browsing.open("/admin/orchestration/orchestration/add/")
        page.fill("#id_title", "Min første")
        page.get_by_label("Redaksjonen").check()
        type_text(browsing, RECIPE.replace("transkriber lydfilen", "transkrirber lydfilen"))
        verdict(browsing, "1 feil")
        marked = page.locator(".cm-lintRange-error")
        assert marked.first.inner_text() == "transkrirber"
        page.locator("#editor-lines .fixes button").first.click()
        verdict(browsing, "Ingen feil")
        assert page.locator("#editor-lines .chosen").count() == 2
        page.locator("#tab-technical").click()
        assert "synops-transcribe --cas-hash {event.cas_hash}" in page.locator("#editor-view").inner_text()
        page.locator("#show-compiled").click()
        assert '"communication.ended"' in page.locator("#editor-view").inner_text()
        page.locator("#tab-human").click()
        assert page.locator(".cm-line").count() == 3
        page.locator("#editor-event").select_option("node.published")
        page.locator(".cm-content").filter(has_text="publisert").wait_for()
        page.locator("#editor-event").select_option("communication.ended")
        verdict(browsing, "Ingen feil")
        page.locator("[name=_save]").click()
        page.locator('form[action$="/activate/"] button').click()
        page.locator(".headline").filter(has_text="aktiv").wait_for()
        recipe = Orchestration.objects.get(title="Min første")
        assert (recipe.content, recipe.state) == (RECIPE, "active")
        assert browsing.complaints == []


def test_what_is_typed_while_the_server_is_away_is_kept_and_checked_later(server: WebServer, editor: Any):
    with browser(server, editor) as browsing:
        page = browsing.open("/admin/orchestration/orchestration/add/")
        page.route("**/editor/check/", lambda route: route.abort())
        type_text(browsing, RECIPE)
        verdict(browsing, "svarer ikke")
        assert page.input_value("#id_content") == RECIPE
        page.unroute("**/editor/check/")
        page.locator(".cm-content").press_sequentially(" ")
        verdict(browsing, "Ingen feil")


def test_a_second_person_is_told_and_loses_nothing(server: WebServer, editor: Any):
    with browser(server, editor) as browsing:
        page = browsing.open("/admin/orchestration/orchestration/add/")
        page.fill("#id_title", "Vår")
        page.get_by_label("Redaksjonen").check()
        type_text(browsing, RECIPE)
        page.locator("[name=_save]").click()
        page.locator(".headline").wait_for()
        recipe = Orchestration.objects.get(title="Vår")
        other = page.context.new_page()
        other.goto(page.url)
        other.locator("#id_title").fill("Vår felles")
        other.locator(".cm-content").click()
        other.keyboard.press("Control+End")
        other.keyboard.insert_text("\n3. oppdater rss-feed")
        other.locator("[name=_save]").click()
        other.locator(".messagelist .success").wait_for()
        type_text(browsing, RECIPE + "\n3. varsle redaksjonen")
        page.locator("[name=_save]").click()
        page.locator(".errornote, .errorlist").first.wait_for()
        assert "versjon 2" in page.locator(".errorlist").first.inner_text()
        assert page.input_value("#id_content").endswith("varsle redaksjonen")
        page.locator("#id_overwrite").check()
        page.locator("[name=_save]").click()
        page.locator(".messagelist .success").wait_for()
        recipe.refresh_from_db()
        assert (recipe.version, recipe.content.endswith("varsle redaksjonen")) == (3, True)


def test_a_wish_becomes_a_draft_that_a_person_approves(server: WebServer, editor: Any):
    with browser(server, editor) as browsing:
        page = browsing.open("/admin/orchestration/orchestration/add/")
        page.fill("#id_title", "Et ønske")
        page.get_by_label("Redaksjonen").check()
        page.select_option("#id_executor", "bot")
        type_text(browsing, "Når en innspilling er avsluttet, transkriber lydfilen og oppsummer samtalen")
        page.locator("#draft-now").click()
        page.locator("#draft-checks li").first.wait_for()
        assert page.locator("#draft-checks .line-ok").count() == 3
        page.locator("#draft-approve").click()
        page.locator(".headline").filter(has_text="aktiv").wait_for()
        recipe = Orchestration.objects.get(title="Et ønske")
        assert recipe.executor == "script"
        assert [version.number for version in recipe.versions.order_by("number")] == [1, 2]
        assert browsing.complaints == []


def test_without_javascript_the_form_saves_and_shows_the_compilation(server: WebServer, editor: Any):
    with browser(server, editor, java_script_enabled=False) as browsing:
        page = browsing.open("/admin/orchestration/orchestration/add/")
        page.fill("#id_title", "Uten skript")
        page.get_by_label("Redaksjonen").check()
        page.fill("#id_content", RECIPE)
        page.locator("[name=_save]").click()
        assert "✓" in page.locator(".without-script").inner_text()
        assert Node.objects.get(title="Uten skript").content == RECIPE
