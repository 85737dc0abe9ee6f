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
from tests.screenshots.pages import ANOTHER_VIEW, pages, pose
from tests.screenshots.scene import PASSWORD, build
from tests.site.browser import SEEN_RULES, WAIT, Watched
from tests.web import WebServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WAYS: tuple[tuple[str, str, int, list[str] | None], ...] = (
    ("nb", "light", 1280, None),
    ("en", "dark", 390, SEEN_RULES),
)
"""Language, scheme, width, and the rules that can come out otherwise than in the first: the document is the same."""


def test_every_page_is_usable_by_everybody_in_both_languages_and_schemes(site: WebServer, shared_browser: Any):
    addresses = {name: address for name, address in pages(build()).items() if name not in ANOTHER_VIEW}
    for language, scheme, width, rules in WAYS:
        watched = Watched(
            shared_browser, site.url, locale=language, color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        findings = look_at(watched, site, language, addresses, rules)
        watched.context.close()
        assert not findings, "\n".join(findings)
        assert watched.complaints == []
        assert watched.foreign == []


def look_at(
    watched: Watched, site: WebServer, language: str, addresses: dict[str, str], rules: list[str] | None
) -> list[str]:
    watched.page.goto(f"{site.url}/admin/login/")
    findings = watched.axe(rules)
    watched.log_in(site.url, "kari", PASSWORD)
    for name, address in addresses.items():
        watched.page.goto(site.url + address)
        pose(watched.page, name)
        assert watched.page.locator("html").get_attribute("lang") == language
        findings += watched.axe(rules)
        wide = watched.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        findings += [f"{address} is {wide} px wider than the window"] if wide > 1 else []
    return findings


def test_a_journey_from_failure_to_retry_and_from_list_to_job(site: WebServer, shared_browser: Any):
    job = build()["job"]
    watched = Watched(shared_browser, site.url, locale="nb")
    page = watched.page
    watched.log_in(site.url, "kari", PASSWORD)
    page.goto(f"{site.url}/admin/failures/")
    page.locator("input[name=key]").first.check()
    page.get_by_role("button", name="Prøv jobbene i de valgte gruppene igjen").click()
    page.locator(".confirm-count").wait_for()
    page.locator(".submit-row input[type=submit]").click()
    page.locator(".messagelist").wait_for()
    assert Job.objects.filter(status="pending", job_type="whisper_transcribe").count() > 3

    page.goto(f"{site.url}/admin/jobs/job/?status=running")
    page.locator(f'[data-id="{job.pk}"] .job-type').click()
    page.locator("[data-log-search]").fill("øyene")
    page.locator("[data-log-count]").filter(has_text="1 / ").wait_for()
    page.locator(".page-tools").get_by_role("button", name="Avbryt").click()
    page.locator(".state-cancelling").first.wait_for()
    page.locator("form.language button").click()
    page.locator("html[lang=en]").wait_for()
    page.goto(f"{site.url}/admin/jobs/job/")
    page.locator("#changelist-filter, .chips").first.wait_for()
    assert "Waiting" in page.locator(".chips").inner_text()

    # A token: its secret is in the page that answers, and can be copied by hand where scripts are off.
    page.goto(f"{site.url}/admin/site/apitoken/add/")
    page.get_by_label("Name").fill("script")
    page.get_by_label("enqueue and follow jobs").check()
    page.locator(".submit-row input[type=submit]").click()
    assert page.get_by_label("Token", exact=True).input_value().startswith("synops_")
    watched.context.close()
    assert watched.complaints == []
    assert watched.foreign == []


def changed(job: Job, announcer: Announcer | None, **fields: Any) -> None:
    Job.objects.filter(pk=job.pk).update(**fields)
    if announcer:
        announcer.changed("job", [job.pk])


def onlooker() -> Any:
    user = make_user("kari", "jobs.view_job")
    user.set_password(PASSWORD)
    user.save()
    return user


def test_a_cell_changes_in_the_open_list(site: WebServer, shared_browser: Any):
    job = running_job(make_collection("Redaksjonen", onlooker()))
    with closing(Announcer(direct_conninfo())) as announcer:
        watched = Watched(shared_browser, site.url, locale="nb")
        page = watched.page
        watched.log_in(site.url, "kari", PASSWORD)
        page.goto(f"{site.url}/admin/jobs/job/")
        row = page.locator(f'[data-id="{job.pk}"]')
        assert row.locator('[data-field="state"]').inner_text() == "kjører"
        page.wait_for_selector('#live-state[data-kind="live"]', timeout=WAIT)
        page.evaluate("window.notReloaded = true")

        job.attempt_rows.update(message="<b>halvveis</b>", progress=0.5)
        announcer.changed("job", [job.pk])
        row.locator('[data-field="message"]').filter(has_text="<b>halvveis</b>").wait_for()
        row.locator('[data-field="progress"]').filter(has_text="50 %").wait_for()

        Job.objects.filter(pk=job.pk).update(priority=7)
        running_job(job.collection_node)
        announcer.changed("job", [job.pk, *Job.objects.values_list("pk", flat=True)])
        row.locator('[data-field="priority"]').filter(has_text="7").wait_for()
        page.locator("#live-new").filter(has_text="Vis 1 ny").wait_for()
        assert page.locator("#result_list tbody tr").count() == 1
        assert page.evaluate("window.notReloaded") is True
        watched.context.close()
    assert watched.complaints == []
    assert watched.foreign == []


def test_without_a_socket_the_page_asks_and_a_hidden_tab_rests(site: WebServer, shared_browser: Any):
    job = running_job(make_collection("Redaksjonen", onlooker()))
    with closing(Announcer(direct_conninfo())) as announcer:
        watched = Watched(shared_browser, site.url, locale="nb")
        page = watched.page
        watched.log_in(site.url, "kari", PASSWORD)
        priority = page.locator(f'[data-id="{job.pk}"] [data-field="priority"]')

        # A socket that is lost comes back, and brings what was missed meanwhile.
        sockets: list[Any] = []

        def through(socket: Any) -> None:
            socket.connect_to_server()
            sockets.append(socket)

        page.route_web_socket("**/live/", through)
        page.goto(f"{site.url}/admin/jobs/job/")
        page.wait_for_selector('#live-state[data-kind="live"]')
        changed(job, None, priority=3)
        sockets[-1].close(code=1011)
        priority.filter(has_text="3").wait_for()
        wait_until(lambda: page.evaluate("1") and len(sockets) > 1, "there is another socket")
        # And it is open: closing one that is not is a complaint.
        page.wait_for_selector('#live-state[data-kind="live"]')

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
        page.goto(f"{site.url}/admin/jobs/job/")
        page.wait_for_selector('#live-state[data-kind="polling"]')
        changed(job, None, priority=5)
        priority.filter(has_text="5").wait_for()
        watched.context.close()
        assert watched.complaints == []
