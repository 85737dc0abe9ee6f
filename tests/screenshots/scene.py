"""The newsroom in the pictures: people, collections, work in every state, two workers, a call, a disk that fills up."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from jobs.models import Attempt, BulkOperation, Job, LogChunk
from orchestration.models import Run, RunStep
from orchestration.work_items import NewItem, open_item
from resources.models import DiskReading, Worker
from synops.graph.columns import new_id
from synops.graph.models import DownloadCount, Edge, Node
from synops.site.models import ApiToken
from synops.site.tokens import create_token
from tests.jobs.making import ended_job, make_job, running_job
from tests.people import make_collection, make_node, make_user
from tests.screenshots.recipes import build_recipes

PASSWORD = "newsroom"
ERRORS = (
    "synops-transcribe: the model large-v3 is not installed",
    'summarize: the answer of the model ended in the middle of "Kommunestyret i Ås"',
    "connection to 10.0.0.17 timed out after 30 s",
)
LOG = """loading model base … 1.4 s
reading /store/9f/… (48 min 12 s, 48 kHz, mono)
segment 1/212  0.0 – 13.4 s  «God kveld og velkommen til Ærlig talt»
segment 2/212  13.4 – 21.0 s  «I kveld handler det om øyene»
"""


def build() -> dict[str, Any]:
    """Fill the database; what the pictures need to find their pages."""
    chance = random.Random(7)
    boss = make_user("kari", superuser=True)
    User.objects.filter(pk=boss.pk).update(first_name="Kari", last_name="Ødegård")
    boss.refresh_from_db()
    boss.set_password(PASSWORD)
    boss.save()
    places = [make_collection(title, boss) for title in ("Ærlig talt", "Kommunestyret i Ås", "Østlandsnytt")]
    workers = [worker("studio", 2114, 2, 0.71), worker("loftet", 887, 1, 2.35)]
    past(chance, places)
    shown = under_way(places, workers)
    failures(chance, places)
    runs(places)
    disks()
    downloads(chance, places[0])
    make_node("communication", "Morgenmøte på desken", into=places[0], metadata={"livekit_active": True})
    notice(boss, "Møtereferatet fra Kommunestyret i Ås er klart", places[1])
    tokens(boss, places)
    run = Run.objects.order_by("-created_at").first()
    return {"job": shown, "boss": boss, "run": run, "bulk": bulk(boss), **build_recipes(boss, places)}


def worker(machine: str, pid: int, running: int, load: float) -> Worker:
    types = ["whisper_transcribe", "rss", "checksum", "render_article", "summarize_communication", "generate_waveform"]
    return Worker.objects.create(
        machine=machine, pid=pid, running=running, load_1m=load, types=types, version="0.1.0",
        max_concurrent=3, max_weight=8, listening=True, rss_bytes=71_000_000,
    )  # fmt: skip


def past(chance: random.Random, places: list[Node]) -> None:
    """A day of finished work, with a quiet night."""
    now = timezone.now()
    rows = []
    for minutes in range(1440):
        ended = now - timedelta(minutes=minutes)
        busy = 3 if 7 <= timezone.localtime(ended).hour <= 18 else 0.4
        count = chance.randrange(int(busy * 2) + 1)
        rows += [finished(chance, chance.choice(places), ended) for _ in range(count)]
    Job.objects.bulk_create(rows)


def finished(chance: random.Random, place: Node, ended: datetime) -> Job:
    job_type, seconds = chance.choice((("checksum", 1), ("rss", 2), ("render_article", 4), ("generate_waveform", 9)))
    took = timedelta(seconds=seconds * chance.uniform(0.6, 1.9))
    due = ended - took - timedelta(seconds=chance.expovariate(0.5))
    failed = chance.random() < 0.03
    return Job(
        collection_node=place, job_type=job_type, payload={}, attempts=1, lease=1, priority=5, created_at=due,
        scheduled_for=due, started_at=ended - took, completed_at=ended,
        **({"status": "error", "outcome": "failed", "error_msg": chance.choice(ERRORS)} if failed
           else {"status": "completed", "outcome": "succeeded"}),
    )  # fmt: skip


def under_way(places: list[Node], workers: list[Worker]) -> Job:
    """What runs, waits, waits to retry and is deferred; the job of the job page is a transcription at its second try."""
    studio, loft = workers
    now = timezone.now()
    payload = {"cas_hash": "9f" * 32, "model": "base", "language": "no", "tittel": "Ærlig talt, episode 12"}
    job = running_job(
        places[0], "whisper_transcribe", studio.pk, attempts=2, lease=2, priority=7, payload=payload,
        started_at=now - timedelta(minutes=6),
    )  # fmt: skip
    asked = now - timedelta(minutes=9)
    Job.objects.filter(pk=job.pk).update(created_at=asked, scheduled_for=now - timedelta(minutes=6, seconds=4))
    job.attempt_rows.all().delete()
    argv = ["synops-transcribe", f"--cas-hash={'9f' * 32}", "--model=base", "--language=no"]
    first = now - timedelta(minutes=8)
    Attempt.objects.create(
        job=job, lease=1, attempt=1, worker_id=loft.pk, machine="loftet", argv=argv, due_at=first, started_at=first,
        finished_at=first + timedelta(seconds=70), outcome="failed", reason="exit_code", exit_code=69, error=ERRORS[0],
    )  # fmt: skip
    Attempt.objects.create(
        job=job, lease=2, attempt=2, worker_id=studio.pk, machine="studio", argv=argv, progress=0.43,
        due_at=now - timedelta(minutes=6, seconds=4), started_at=now - timedelta(minutes=6), message="Transkriberer …",
    )  # fmt: skip
    LogChunk.objects.create(job=job, lease=2, seq=1, text=LOG)
    running_job(places[1], "render_article", studio.pk, priority=5)
    running_job(places[2], "summarize_communication", loft.pk, priority=5).attempt_rows.update(
        progress=0.8, message="Leser 14 av 17 innlegg"
    )
    for place in places:
        make_job(place, "whisper_transcribe", priority=4)
        make_job(place, "rss", scheduled_for=now + timedelta(hours=2))
    make_job(
        places[1],
        "url_ingest",
        status="retry",
        attempts=1,
        error_msg=ERRORS[2],
        scheduled_for=now + timedelta(minutes=1),
    )
    return job


def failures(chance: random.Random, places: list[Node]) -> None:
    for number in range(9):
        ended_job(chance.choice(places), "failed", "whisper_transcribe", error_msg=ERRORS[0])
        if number % 2:
            error = f"connection to 10.0.0.{number} timed out after {number * 7} s"
            ended_job(places[2], "failed", "url_ingest", error_msg=error)
    ended_job(places[1], "timed_out", "render_article", error_msg="ran longer than 600 s")
    ended_job(places[1], "lost", "generate_waveform", error_msg="the worker was lost three times")
    ended_job(places[0], "cancelled", "rss", error_msg="cancelled")


def runs(places: list[Node]) -> None:
    recipe = Node.objects.filter(node_kind="orchestration").order_by("created_at").first()
    now = timezone.now()
    for number, (status, title) in enumerate(
        (("completed", "Podcast-publisering"), ("failed", "Møtereferat"), ("running", "Podcast-publisering"))
    ):
        run = Run.objects.create(
            orchestration_id=recipe.pk, collection=places[number], title=title, compiled={}, version=3,
            trigger={"trigger_event": "communication.ended"}, status=status,
            finished_at=None if status == "running" else now,
        )  # fmt: skip
        RunStep.objects.create(
            run=run, step=1, tool="synops-transcribe", job_type="whisper_transcribe", text="transkriber lydfilen (stor)",
            state="failed" if status == "failed" else "succeeded", finished_at=now, job_id=new_id(), result={"segments": 212},
        )  # fmt: skip
    with connection.cursor() as cursor:
        for title, key in (
            ("«Møtereferat» feilet: modellen mangler", "a"),
            ("Kunne ikke sende varsel til Øyvind", "b"),
        ):
            open_item(cursor, NewItem(collection_id=places[1].pk, title=title, content=title, dedupe_key=key))


def disks() -> None:
    now = timezone.now()
    for minutes in range(600, -1, -5):
        used = 800 + (600 - minutes) // 12
        reading = DiskReading.objects.create(
            machine="studio", path="/var/lib/synops", total_bytes=1_000_000_000_000, used_bytes=used * 1_000_000_000,
            percent=used / 10, level="warning" if used >= 850 else "ok",
        )  # fmt: skip
        DiskReading.objects.filter(pk=reading.pk).update(measured_at=now - timedelta(minutes=minutes))


def downloads(chance: random.Random, feed: Node) -> None:
    """Three episodes over a fortnight; the newest is heard the most."""
    today = timezone.localdate()
    for number, title in enumerate(("Øyene i vest", "Da bokbussen sluttet å gå", "Kommunestyret, minutt for minutt")):
        episode = make_node("content", title, into=feed)
        for app, share in (("Apple Podcasts", 40), ("Spotify", 25), ("AntennaPod", 5)):
            for days in range(14):
                DownloadCount.objects.create(
                    node=episode, collection=feed, day=today - timedelta(days=days), app=app,
                    downloads=1 + chance.randrange(share * (3 - number)),
                )  # fmt: skip


def tokens(boss: User, places: list[Node]) -> None:
    """One that is used, one that is over, one that a camera knows as an address."""
    create_token("gpu-1 i kjelleren", ["store", "jobs"], boss)
    create_token("Kamera på rådhuset", ["hooks"], boss, places[1].pk, days=365)
    create_token("Øyvinds skript", ["jobs"], make_user("øyvind", "jobs.view_job"), days=30)
    ApiToken.objects.filter(name__startswith="gpu").update(last_used_at=Now())
    ApiToken.objects.filter(name__startswith="Øyvind").update(revoked_at=Now())


def bulk(boss: User) -> BulkOperation:
    """A retry of many that is halfway through."""
    return BulkOperation.objects.create(
        user=boss, operation="retry", filters={"status": "error", "type": "whisper_transcribe"}, total=48_211, seen=19_000,
        changed=18_974, skipped={"pending": 26}, started_at=Now(),
    )  # fmt: skip


def notice(user: User, title: str, place: Node) -> None:
    """A notice to somebody, as synops-notify leaves it."""
    node = make_node("notice", title, into=place, content=title)
    person = Node.objects.get(user=user)
    Edge.objects.create(source=node, target=person, edge_type="addressed_to")
