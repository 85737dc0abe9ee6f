"""The job list's SQL and server time, and the front page's, with few rows and with many; prints JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

ROWS = int(os.environ.get("SYNOPS_BENCH_ROWS", "5000000"))
FEW = 10_000
PAGE = 50


def main() -> None:
    django.setup()
    from django.conf import settings
    from django.core.cache import cache
    from django.db import connection
    from django.test import Client

    from tests.benchmarks.admin.filling import fill
    from tests.people import make_collection, make_user

    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client(headers={"accept-language": "nb"})
    client.force_login(make_user("boss", superuser=True))
    collection = make_collection("Bench").pk

    def front() -> None:
        cache.clear()
        client.get("/admin/")

    with connection.cursor() as cursor:
        fill(cursor, collection, FEW)
        figures: dict[str, Any] = {"rows": ROWS, "list_10k_ms": timed(lambda: client.get("/admin/jobs/job/"))}
        figures["front_10k_ms"] = timed(front)
        fill(cursor, collection, ROWS)
        figures["list_ms"] = timed(lambda: client.get("/admin/jobs/job/"))
        figures["front_ms"] = timed(front)
        figures |= sql(cursor)
    json.dump(figures, sys.stdout)


def timed(work: Callable[[], object], times: int = 30) -> float:
    """Milliseconds, the median of warm runs."""
    for _ in range(3):
        work()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return median(taken)


def sql(cursor: Any) -> dict[str, float]:
    """The statements behind the list, by themselves."""
    from jobs.keyset import ORDER, Place, page_of
    from jobs.models import Job

    rows = Job.objects.only("id", "created_at", "status", "job_type")
    far = Place.of(Job.objects.order_by(*ORDER).only("id", "created_at")[1000 * PAGE])
    live = "SELECT status, count(*) FROM job_queue WHERE status IN ('pending', 'retry', 'running') GROUP BY status"
    return {
        "page 1": timed(lambda: page_of(rows, PAGE)),
        "keyset page 1000": timed(lambda: page_of(rows, PAGE, after=far)),
        "status summary": timed(lambda: cursor.execute(live)),
    }


if __name__ == "__main__":
    main()
