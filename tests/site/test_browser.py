"""In a real browser: sign in, see the list, watch a cell change without a reload, with a clean console."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from jobs.live.address import direct_conninfo
from jobs.live.announcer import Announcer
from jobs.models import Job
from tests.jobs.making import running_job
from tests.people import make_collection, make_user
from tests.site.browser import WAIT, chromium
from tests.web import web_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page() -> Iterator[Any]:
    with chromium() as browser:
        yield browser.new_context(locale="nb").new_page()


def test_a_cell_changes_in_the_open_list(page: Any, monkeypatch: pytest.MonkeyPatch):
    # Playwright's loop runs in this thread, and Django takes that for an async view.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    complaints: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    user = make_user("kari", "jobs.view_job")
    user.set_password("secret")
    user.save()
    job = running_job(make_collection("Redaksjonen", user))
    foreign: list[str] = []
    with web_server() as server, closing(Announcer(direct_conninfo())) as announcer:
        page.on(
            "request",
            lambda request: None if request.url.startswith((server.url, "data:")) else foreign.append(request.url),
        )
        page.goto(f"{server.url}/admin/login/?next=/admin/jobs/job/")
        page.fill("#id_username", "kari")
        page.fill("#id_password", "secret")
        page.click(".submit-row [type=submit]")
        row = page.locator(f'[data-id="{job.pk}"]')
        assert row.locator('[data-field="state"]').inner_text() == "kjører"
        page.wait_for_selector('#live-state[data-kind="live"]', timeout=WAIT)
        page.evaluate("window.notReloaded = true")

        job.attempt_rows.update(message="<b>halvveis</b>", progress=0.5)
        announcer.changed("job", [job.pk])
        message = row.locator('[data-field="message"]')
        message.filter(has_text="<b>halvveis</b>").wait_for(timeout=WAIT)

        Job.objects.filter(pk=job.pk).update(priority=7)
        running_job(job.collection_node)
        announcer.changed("job", [job.pk, *Job.objects.values_list("pk", flat=True)])
        row.locator('[data-field="priority"]').filter(has_text="7").wait_for(timeout=WAIT)
        page.locator("#live-new").filter(has_text="Vis 1 ny").wait_for(timeout=WAIT)
        assert page.locator("#result_list tbody tr").count() == 1
        assert page.evaluate("window.notReloaded") is True
        page.goto("about:blank")
    assert complaints == []
    assert foreign == []
