"""The job list's SQL and server time, and the front page's, with few rows and with many; prints JSON.

`python -m tests.benchmarks.admin.lists ROWS`
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

FEW = 10_000
PAGE = 50
LIST = "/admin/jobs/job/"
RARE = "UPDATE job_queue SET job_type = 'rare' WHERE id IN (SELECT id FROM job_queue ORDER BY created_at, id LIMIT 60)"


def main(rows: int) -> None:
    django.setup()
    from django.conf import settings
    from django.core.cache import cache
    from django.db import connection
    from django.test import Client

    from tests.benchmarks.admin.filling import GONE, WORKER, fill
    from tests.people import make_collection, make_user

    settings.ALLOWED_HOSTS = ["testserver"]
    boss, member, guest = (Client(headers={"accept-language": "nb"}) for _ in range(3))
    boss.force_login(make_user("boss", superuser=True))
    for name, client in (("member", member), ("guest", guest)):
        client.force_login(make_user(name, "jobs.view_job"))
    collection = make_collection("Bench", *users("member")).pk
    make_collection("Empty", *users("guest"))

    def page(client: Client, address: str = LIST) -> float:
        return timed(lambda: shown(client, address))

    def front() -> None:
        cache.clear()
        shown(boss, "/admin/")

    with connection.cursor() as cursor:
        fill(cursor, collection, FEW)
        few = {"list": page(boss), "front": timed(front)}
        fill(cursor, collection, rows)
        cursor.execute(RARE)
        many = {
            "list": page(boss), "front": timed(front), "member": page(member), "guest": page(guest),
            "worker": page(boss, f"{LIST}?worker={WORKER}"), "gone": page(boss, f"{LIST}?worker={GONE}"),
            "rare": page(boss, f"{LIST}?type=rare"),
        }  # fmt: skip
        json.dump({"rows": rows, "few": few, "many": many, "sql": sql(cursor)}, sys.stdout)


def users(name: str) -> Any:
    from django.contrib.auth.models import User

    return User.objects.filter(username=name)


def shown(client: Any, address: str) -> None:
    """Ask for a page. One that fails is fast, so it must not pass for an answer."""
    answer = client.get(address)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"


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
    """The statements behind the list as the page sends them, by themselves: what the database takes to plan and run them."""
    from jobs.admin.changelist import with_details
    from jobs.keyset import ORDER, PLACE_OF_ROW, LessThan, Place, at
    from jobs.models import Job

    rows = with_details(Job.objects.order_by(*ORDER))
    far = Place.of(Job.objects.order_by(*ORDER).only("id", "created_at")[1000 * PAGE])
    live = "SELECT status, count(*) FROM job_queue WHERE status IN ('pending', 'retry', 'running') GROUP BY status"
    return {
        "page 1": asked(cursor, *rows[: PAGE + 1].query.sql_with_params()),
        "keyset page 1000": asked(
            cursor, *rows.filter(LessThan(PLACE_OF_ROW, at(far)))[: PAGE + 1].query.sql_with_params()
        ),
        "status summary": asked(cursor, live),
    }


def asked(cursor: Any, statement: str, parameters: Any = None, times: int = 30) -> float:
    """Milliseconds, the median of warm runs, as the database measures them: what Python makes of the rows is the page's."""
    taken = []
    for _ in range(3 + times):
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}", parameters)
        ((told,),) = cursor.fetchall()
        (plan,) = json.loads(told) if isinstance(told, str) else told
        taken.append(plan["Planning Time"] + plan["Execution Time"])
    return median(taken[3:])


if __name__ == "__main__":
    main(int(sys.argv[1]))
