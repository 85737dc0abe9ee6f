"""The page of one job: everything about it, nothing that runs, nothing for those who may not see it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from jobs.models import Attempt, Job, LogChunk
from synops.graph.admin.rendering import MOMENT_FORMAT, written
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_collection, make_node, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Any:
    return make_user("member", "jobs.view_job")


@pytest.fixture
def client(member: Any) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(member)
    return client


def page(client: Client, job: Any) -> str:
    response = client.get(f"/admin/jobs/job/{job.pk}/change/")
    assert response.status_code == 200
    return response.content.decode()


def test_it_shows_payload_result_attempts_command_and_log(client: Client, member: Any):
    job = ended_job(
        make_collection("Podcast", member),
        "failed",
        payload={"title": "Æøå", "big": 12345678901234567890123},
        result={"digest": "abc"},
        error_msg="no such model",
    )
    job.attempt_rows.update(
        argv=["synops-checksum", "--title=to ord"], exit_code=69, reason="exit", log_dropped_bytes=2048
    )
    LogChunk.objects.create(job=job, lease=1, seq=2, part="tail", text="the end")
    LogChunk.objects.create(job=job, lease=1, seq=1, text="the beginning … ")
    text = page(client, job)
    for expected in (
        "Æøå",
        "12345678901234567890123",
        "abc",
        "no such model",
        "synops-checksum &#x27;--title=to ord&#x27;",
    ):
        assert expected in text
    assert "the beginning … the end" in text
    answer = client.get(f"/admin/jobs/job/{job.pk}/log/").json()
    assert (answer["lease"], answer["text"], answer["omitted"]) == (1, "the beginning … the end", 2048)
    assert "2.0\xa0KB in the middle were not kept." in text
    assert '<time datetime="' in text


def test_hostile_text_is_only_text(client: Client, member: Any):
    evil = "</pre><script>alert(1)</script>"
    job = ended_job(make_collection(evil, member), "failed", evil, payload={evil: evil}, error_msg=evil)
    job.attempt_rows.update(argv=[evil], error=evil, reason=evil, message=evil)
    LogChunk.objects.create(job=job, lease=1, seq=1, text=evil)
    assert "<script>alert" not in page(client, job)


def test_a_huge_payload_is_cut_and_the_page_says_so(client: Client, member: Any):
    text = page(client, make_job(make_collection("Podcast", member), payload={"x": "y" * 300_000}))
    assert "cut after 100000 of" in text
    assert len(text) < 200_000


def test_secrets_in_the_command_are_masked(client: Client, member: Any):
    job = ended_job(make_collection("Podcast", member), "failed")
    job.attempt_rows.update(argv=["synops-x", "--api-key=hemmelig", "--url=https://a:hemmelig@b/"])
    text = page(client, job)
    assert "hemmelig" not in text
    assert "--api-key=•••" in text


@pytest.mark.parametrize(("language", "said"), [("nb", "3. nov 2026 04:05:06"), ("en", "3 Nov 2026 04:05:06")])
def test_times_are_written_as_the_language_does(language: str, said: str):
    with override(language):
        assert written(datetime(2026, 11, 3, 4, 5, 6, tzinfo=UTC), MOMENT_FORMAT) == said


def test_what_is_left_is_told_once_there_is_something_to_tell_from(client: Client, member: Any):
    job = running_job(make_collection("Podcast", member), started_at=timezone.now() - timedelta(minutes=10))
    for progress, left in ((None, ""), (0.01, ""), (0.5, "10 min"), (1.0, "")):
        job.attempt_rows.update(progress=progress)
        said = client.get(f"/admin/jobs/job/{job.pk}/change/").context["left"]
        assert said.startswith(left), progress
        assert bool(said) is bool(left), progress


def test_the_course_of_a_job_is_a_line_of_moments(client: Client, member: Any):
    job = ended_job(make_collection("Podcast", member), "failed")
    start = job.created_at
    Attempt.objects.filter(job=job).update(
        due_at=start, started_at=start + timedelta(seconds=3), finished_at=start + timedelta(seconds=70)
    )
    Attempt.objects.create(
        job=job, lease=2, attempt=2, worker_id=uuid4(), due_at=start + timedelta(seconds=100),
        started_at=start + timedelta(seconds=101), finished_at=start + timedelta(seconds=110), outcome="timed_out",
    )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(completed_at=start + timedelta(seconds=110), cancel_requested_at=None)
    moments = client.get(f"/admin/jobs/job/{job.pk}/change/").context["moments"]
    assert [(moment.code, moment.gap) for moment in moments] == [
        ("pending", ""), ("running", "3.0 s"), ("failed", "1 min 7 s"), ("pending", "30 s"), ("running", "1.0 s"),
        ("timed_out", "9.0 s"),
    ]  # fmt: skip


def test_the_log_is_a_file_too_and_unchanged_it_is_not_sent_again(client: Client, member: Any):
    job = ended_job(make_collection("Podcast", member), "failed")
    LogChunk.objects.create(job=job, lease=1, seq=1, text="<b>blåbær</b>\n")
    address = f"/admin/jobs/job/{job.pk}/log/"
    saved = client.get(f"{address}?file=yes&lease=1")
    assert saved.content.decode() == "<b>blåbær</b>\n"
    assert saved.headers["Content-Type"].startswith("text/plain")
    assert "attachment" in saved.headers["Content-Disposition"]
    first = client.get(address)
    assert client.get(address, headers={"if-none-match": first.headers["ETag"]}).status_code == 304
    LogChunk.objects.create(job=job, lease=1, seq=2, text="mer")
    assert client.get(address, headers={"if-none-match": first.headers["ETag"]}).json()["text"].endswith("mer")
    for lease in ("7", "-1", "x", "9" * 40):
        assert client.get(f"{address}?lease={lease}").status_code == 200
    hidden = make_job(make_collection("Hidden"))
    assert client.get(f"/admin/jobs/job/{hidden.pk}/log/").status_code == 403


def test_the_page_names_run_and_recipe_only_to_those_who_may_see_them(client: Client, member: Any):
    from orchestration.models import Run
    from tests.orchestration.test_admin import make_run

    ours = make_collection("Podcast", member)
    run = make_run(ours)
    recipe = make_node("orchestration", "Ukas oppskrift", into=ours)
    Run.objects.filter(pk=run.pk).update(orchestration_id=recipe.pk, title="Ukas kjøring")
    text = page(client, make_job(ours, run_id=run.pk))
    assert "Ukas oppskrift" in text
    assert "Ukas kjøring" in text
    Run.objects.filter(pk=run.pk).update(collection=make_collection("Hidden"))
    text = page(client, make_job(ours, run_id=run.pk))
    assert "Ukas" not in text


def test_buttons_follow_state_and_right(member: Any):
    operator = make_user("operator", "jobs.view_job", "jobs.retry_job", "jobs.cancel_job")
    collection = make_collection("Podcast", member, operator)
    failed, running = ended_job(collection, "failed"), running_job(collection)
    client = Client()
    client.force_login(operator)
    assert "/retry/" in page(client, failed)
    assert "/cancel/" not in page(client, failed)
    assert "/cancel/" in page(client, running)
    client.force_login(member)
    assert "/retry/" not in page(client, failed)


def test_an_unseen_job_looks_like_one_that_does_not_exist(client: Client):
    hidden = make_job(make_collection("Hidden"))
    for part in ("change", "history", "delete"):
        unseen = client.get(f"/admin/jobs/job/{hidden.pk}/{part}/")
        missing = client.get(f"/admin/jobs/job/{uuid4()}/{part}/")
        assert (unseen.status_code, unseen.headers.get("Location")) == (
            missing.status_code,
            missing.headers.get("Location"),
        )
        assert unseen.status_code in (302, 403)


def test_there_is_nothing_to_post_to(client: Client, member: Any):
    job = make_job(make_collection("Podcast", member))
    assert client.post(f"/admin/jobs/job/{job.pk}/change/", {"status": "completed"}).status_code == 403
    assert client.get("/admin/jobs/job/add/").status_code == 403
    job.refresh_from_db()
    assert job.status == "pending"


def test_a_waiting_job_says_why_and_names_only_jobs_that_the_reader_may_see(client: Client, member: Any):
    from resources.models import PriorityRule, Worker

    PriorityRule.objects.create(job_type="single", max_concurrent=1)
    Worker.objects.create(machine="loftet", pid=1, max_concurrent=3, max_weight=8, types=["single"])
    hidden = running_job(make_collection("Hemmelig", make_user("other")), job_type="single")
    waiting = make_job(make_collection("Podcast", member), job_type="single")
    text = page(client, waiting)
    assert "Why it waits" in text
    assert "On loftet: Its type is full: 1 job of this type may run at once." in text
    assert str(hidden.pk) not in text
    seen = running_job(make_collection("Mer", member), job_type="single")
    assert f"/admin/jobs/job/{seen.pk}/change/" in page(client, waiting)
    assert "Why it waits" not in page(client, seen)


def test_reasons_are_words_in_the_readers_language(client: Client, member: Any):
    job = ended_job(make_collection("Podcast", member), "failed")
    job.attempt_rows.update(reason="out_of_memory")
    assert "probably because the machine ran out of memory" in page(client, job)


def test_every_reason_that_the_code_knows_has_words():
    import re
    from pathlib import Path

    from django.conf import settings

    from jobs.launcher.wire import Reason
    from jobs.reasons import ATTEMPT_REASONS

    written = {str(reason) for reason in Reason} - {"exited", "lost"}
    for path in Path(settings.BASE_DIR, "jobs").rglob("*.py"):
        for direct, refused in re.findall(r'reason="([a-z_]+)"|InlineRefused\(\s*"([a-z_]+)"', path.read_text()):
            written.add(direct or refused)
    for path in Path(settings.BASE_DIR, "jobs", "sql").glob("*.sql"):
        written |= set(re.findall(r"reason = '([a-z_]+)'", path.read_text()))
    assert written <= set(ATTEMPT_REASONS), "add these to jobs/reasons.py"
