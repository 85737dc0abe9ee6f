"""Through the main pages in a real browser, in both languages, light and dark: nothing serious for axe, a clean console."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from jobs.live.address import direct_conninfo
from jobs.live.announcer import Announcer
from jobs.models import Job
from tests.deadline import wait_until
from tests.jobs.making import running_job
from tests.people import make_collection, make_user
from tests.screenshots.pages import pages
from tests.screenshots.scene import PASSWORD, build
from tests.site.browser import Watched, chromium
from tests.web import WebServer, web_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def within_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright's loop runs in this thread, and Django takes that for an async view."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def test_every_page_is_usable_by_everybody_in_both_languages_and_schemes():
    addresses = pages(build())
    with web_server() as server, chromium() as browser:
        for language, scheme, width in (("nb", "light", 1280), ("en", "dark", 390)):
            watched = Watched(
                browser, server.url, locale=language, color_scheme=scheme, viewport={"width": width, "height": 900}
            )
            findings = look_at(watched, server, language, addresses)
            watched.context.close()
            assert not findings, "\n".join(findings)
            assert watched.complaints == []
            assert watched.foreign == []


def look_at(watched: Watched, server: WebServer, language: str, addresses: dict[str, str]) -> list[str]:
    watched.page.goto(f"{server.url}/admin/login/")
    findings = watched.axe()
    watched.log_in(server.url, "kari", PASSWORD)
    for address in addresses.values():
        watched.page.goto(server.url + address)
        assert watched.page.locator("html").get_attribute("lang") == language
        findings += watched.axe()
        wide = watched.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        findings += [f"{address} is {wide} px wider than the window"] if wide > 1 else []
    return findings


def test_a_journey_from_failure_to_retry_and_from_list_to_job():
    job = build()["job"]
    with web_server() as server, chromium() as browser:
        watched = Watched(browser, server.url, locale="nb")
        page = watched.page
        watched.log_in(server.url, "kari", PASSWORD)
        page.goto(f"{server.url}/admin/failures/")
        page.locator("input[name=key]").first.check()
        page.get_by_role("button", name="Prøv jobbene i de valgte gruppene igjen").click()
        page.locator(".confirm-count").wait_for()
        page.locator(".submit-row input[type=submit]").click()
        page.locator(".messagelist").wait_for()
        assert Job.objects.filter(status="pending", job_type="whisper_transcribe").count() > 3

        page.goto(f"{server.url}/admin/jobs/job/?status=running")
        page.locator(f'[data-id="{job.pk}"] .job-type').click()
        page.locator("[data-log-search]").fill("øyene")
        page.locator("[data-log-count]").filter(has_text="1 / ").wait_for()
        page.locator(".page-tools").get_by_role("button", name="Avbryt").click()
        page.locator(".state-cancelling").first.wait_for()
        page.locator("form.language button").click()
        page.locator("html[lang=en]").wait_for()
        page.goto(f"{server.url}/admin/jobs/job/")
        page.locator("#changelist-filter, .chips").first.wait_for()
        assert "Waiting" in page.locator(".chips").inner_text()
        watched.context.close()
        assert watched.complaints == []
        assert watched.foreign == []


def changed(job: Job, announcer: Announcer | None, **fields: Any) -> None:
    Job.objects.filter(pk=job.pk).update(**fields)
    if announcer:
        announcer.changed("job", [job.pk])


def test_without_a_socket_the_page_asks_and_a_hidden_tab_rests():
    user = make_user("kari", "jobs.view_job")
    user.set_password(PASSWORD)
    user.save()
    job = running_job(make_collection("Redaksjonen", user))
    with web_server() as server, chromium() as browser, closing(Announcer(direct_conninfo())) as announcer:
        watched = Watched(browser, server.url, locale="nb")
        page = watched.page
        watched.log_in(server.url, "kari", PASSWORD)
        priority = page.locator(f'[data-id="{job.pk}"] [data-field="priority"]')

        # A socket that is lost comes back, and brings what was missed meanwhile.
        sockets: list[Any] = []

        def through(socket: Any) -> None:
            socket.connect_to_server()
            sockets.append(socket)

        page.route_web_socket("**/live/", through)
        page.goto(f"{server.url}/admin/jobs/job/")
        page.wait_for_selector('#live-state[data-kind="live"]')
        changed(job, None, priority=3)
        sockets[-1].close(code=1011)
        priority.filter(has_text="3").wait_for()
        page.wait_for_selector('#live-state[data-kind="live"]')
        wait_until(lambda: page.evaluate("1") and len(sockets) > 1, "there is another socket")

        # A hidden tab closes its socket and asks for nothing; seen again it catches up.
        page.evaluate("""() => { Object.defineProperty(document, "hidden", { value: true, configurable: true });
                                 document.dispatchEvent(new Event("visibilitychange")); }""")
        page.wait_for_selector('#live-state[data-kind="paused"]')
        changed(job, announcer, priority=4)
        page.evaluate("""() => { Object.defineProperty(document, "hidden", { value: false, configurable: true });
                                 document.dispatchEvent(new Event("visibilitychange")); }""")
        priority.filter(has_text="4").wait_for()

        # No socket at all: every five seconds.
        page.route_web_socket("**/live/", lambda socket: socket.close(code=4429))
        page.goto(f"{server.url}/admin/jobs/job/")
        page.wait_for_selector('#live-state[data-kind="polling"]')
        changed(job, None, priority=5)
        priority.filter(has_text="5").wait_for()
        watched.context.close()
        assert watched.complaints == []
