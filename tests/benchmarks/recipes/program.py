"""The measuring process: prints its figures as one JSON object."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

RECIPES = 1000
EVENTS = 5000
RUNS, STEPS = 40, 5


def main() -> None:
    django.setup()
    from tests.orchestration.arrange import add_tools, compiled, make_recipe, note
    from tests.people import make_collection

    add_tools()
    collection = make_collection("Bench")
    tags = [compiled([note("x")], conditions=[{"has_tag": f"t{number}"}]) for number in range(RECIPES)]
    for number, document in enumerate(tags):
        make_recipe(f"R{number}", document, collection)
    matched = per_second(collection)
    make_recipe("starts", compiled([note("{event.title}")]), collection)
    started = per_second(collection)
    bare, with_run = step_costs(collection)
    figures = {
        "events_matched": matched,
        "events_that_start_a_run": started,
        "step_ms": with_run - bare,
        "bare_ms": bare,
    }
    json.dump(figures, sys.stdout)


def per_second(collection: Any) -> float:
    """Events a second, read and decided; nothing else is in the outbox."""
    from orchestration.events import consume

    raise_events(collection)
    started = time.perf_counter()
    while consume().events:
        pass
    return EVENTS / (time.perf_counter() - started)


def raise_events(collection: Any) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            """WITH made AS (
                 INSERT INTO nodes (node_kind, title, metadata)
                 SELECT 'communication', 'M' || n, '{"ended_at": "2026-05-17"}' FROM generate_series(1, %s) n
                 RETURNING id)
               INSERT INTO edges (source_id, target_id, edge_type) SELECT id, %s, 'belongs_to' FROM made""",
            [EVENTS, collection.pk],
        )
        cursor.execute("UPDATE graph_events SET done_at = now() WHERE event <> 'communication.ended'")
        cursor.execute("DELETE FROM job_queue")
        cursor.execute("ANALYZE")


def step_costs(collection: Any) -> tuple[float, float]:
    """Milliseconds for a bare job, and for a step of a run: enqueue, claim and finish, and what comes with a run."""
    from django.db import connection, transaction

    from jobs import queue
    from jobs.queue import NewJob
    from orchestration.manual import Wish, start
    from orchestration.steward import on_finished
    from tests.orchestration.arrange import compiled, make_recipe, note

    recipe = make_recipe("five", compiled(*[[note("x")]] * STEPS, event="manual"), collection)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM job_queue")

    def bare() -> None:
        for _ in range(STEPS):
            with transaction.atomic(), connection.cursor() as cursor:
                queue.enqueue(cursor, NewJob(collection.pk, "note", {"text": "x"}))
            finish_next()

    def run() -> None:
        start(Wish(recipe.pk))
        for _ in range(STEPS):
            on_finished(finish_next())

    return paired(bare, run)


def finish_next() -> Any:
    from django.db import connection, transaction

    from jobs import queue
    from jobs.queue import Ended
    from tests.orchestration.arrange import claim_one

    job = claim_one("note")
    with transaction.atomic(), connection.cursor() as cursor:
        return queue.finish(cursor, [Ended(job, "succeeded", result={"n": 1}, exit_code=0)]).changed


def paired(bare: Callable[[], None], run: Callable[[], None]) -> tuple[float, float]:
    """Per step, in turns, so that what else the machine does falls on both: the bare one, and it with the median of
    the rounds' differences."""
    rounds = [(milliseconds(bare), milliseconds(run)) for _ in range(RUNS)]
    base = median([first for first, _ in rounds])
    return base, base + median([second - first for first, second in rounds])


def milliseconds(action: Callable[[], None]) -> float:
    """One round of STEPS, per step."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000 / STEPS


if __name__ == "__main__":
    main()
