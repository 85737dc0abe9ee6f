"""From an empty installation to a first green run, in a real browser with a real worker, every click counted."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group

from orchestration.models import Run
from synops.demo.data import RECORDING
from synops.graph.models import Node
from synops.tools import notify, waveform
from tests.orchestration.arrange import add_tools
from tests.people import make_user
from tests.site.browsing import Browsing, signed_in
from tests.web import PROJECT, WebServer, database_url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLICKS = 13
"""What docs/recipe-editors.md says; typing a title and choosing a file count as one each."""


@dataclass
class Hand:
    """A hand on the mouse that counts."""

    browsing: Browsing
    clicks: int = 0

    def click(self, selector: str) -> None:
        self.browsing.page.locator(selector).first.click()
        self.clicks += 1

    def type(self, selector: str, text: str) -> None:
        self.browsing.page.fill(selector, text)
        self.clicks += 1

    def choose(self, selector: str, path: str) -> None:
        self.browsing.page.set_input_files(selector, path)
        self.clicks += 1


@pytest.fixture
def editor() -> Any:
    """Somebody new: a login in the group of editors, and nothing else. The tools are known, as after a first start."""
    add_tools(*(tool.DESCRIPTION.to_json() for tool in (notify, waveform)))
    user = make_user("ny")
    user.groups.add(Group.objects.get(name="editor"))
    return user


def work() -> None:
    """A worker until there is nothing left to do."""
    done = subprocess.run(
        [sys.executable, "manage.py", "runworker", "--drain"],
        cwd=PROJECT,
        env={**os.environ, "DATABASE_URL": database_url(), "SYNOPS_ENV_FILE": "none"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()


def ticked(browsing: Browsing) -> int:
    browsing.open("/admin/")
    return int(browsing.page.locator("#first-steps .done").count())


@pytest.mark.parametrize(
    ("language", "active", "starts"),
    [("nb", "aktiv", "ville startet"), ("en", "active", "would start")],
    ids=["nb", "en"],
)
def test_the_list_leads_from_nothing_to_a_green_run_and_ticks_off_by_itself(
    site: WebServer, shared_browser: Any, editor: Any, language: str, active: str, starts: str
):
    with signed_in(shared_browser, site, editor, language=language) as browsing:
        page, hand = browsing.page, Hand(browsing)
        assert ticked(browsing) == 0
        assert language == "en" or browsing.axe() == []
        began = time.monotonic()
        hand.click("#first-steps .todo a")
        hand.type("#id_title", "Lokalradioen på Ås")
        assert language == "en" or browsing.axe() == []
        hand.click(".submit-row [type=submit]")
        page.locator("#first-steps .done").wait_for()
        hand.click("#first-steps .todo a")
        hand.choose("#id_file", str(RECORDING))
        hand.click(".submit-row [type=submit]")
        page.locator("#first-steps .done").nth(1).wait_for()
        hand.click("#first-steps .todo a")
        page.locator("#editor-verdict[data-kind=clean]").wait_for()
        hand.click("[name=_save]")
        page.locator(".messagelist .success").wait_for()
        hand.click("#trial summary")
        hand.click("#trial-go")
        page.locator("#trial-result").filter(has_text=starts).wait_for()
        hand.click('form[action$="/activate/"] button')
        page.locator(".headline .state-active").filter(has_text=active).wait_for()
        hand.click('.page-tools a[href$="/run/"]')
        hand.click(".submit-row [type=submit]")
        page.locator(".run .headline").wait_for()
        run = Run.objects.get()
        work()
        page.locator(".run .headline .state-completed").wait_for()
        assert hand.clicks == CLICKS
        print(f"{hand.clicks} clicks, {time.monotonic() - began:.1f} s with the worker's start")
        run.refresh_from_db()
        assert [step.state for step in run.steps.order_by("id")] == ["succeeded", "succeeded"]
        assert Node.objects.filter(node_kind="notice", edges_out__target__user=editor).exists()
        assert ticked(browsing) == 0
        assert page.locator("#first-steps").count() == 0
        assert browsing.complaints == []
