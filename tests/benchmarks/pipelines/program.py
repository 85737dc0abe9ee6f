"""Measures the pipelines where Django is set up; prints one JSON object."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import django
import psycopg

UNITS = 300
FAN_OUT = 20
DOCUMENTS = 10_000
STEP_ROWS = 5_000_000
RUNS = 9


def main() -> None:
    """Everything, smallest table first."""
    django.setup()
    register_library()
    figures: dict[str, Any] = {"steps": steps_per_second("one", 1), "steps_two_workers": steps_per_second("two", 2)}
    figures["fan_in_ms"] = fan_in_ms()
    fill()
    figures["pages"] = page_queries()
    figures["page_ms"] = max(figures["pages"].values())
    json.dump(figures, sys.stdout)


def log(text: str) -> None:
    print(f"    {text}", file=sys.stderr, flush=True)


# -- a pipeline whose steps cost nothing -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Shelf:
    shelf: str
    books: int = FAN_OUT


@dataclass(frozen=True)
class Book:
    shelf: str
    nth: int


def register_library() -> None:
    from jobs.pipelines import Item, Pipeline, Step, Succeeded, register

    def catalogue(_cursor: Any, work: Any) -> Any:
        return Succeeded(None, [Item(str(nth), Book(work.payload.shelf, nth)) for nth in range(work.payload.books)])

    def nothing(_cursor: Any, _work: Any) -> Any:
        return Succeeded()

    steps = (
        Step("list", "bench_list", Shelf, run=catalogue),
        Step("read", "bench_read", Book, follows="list", shape="each", run=nothing),
        Step(
            "sum",
            "bench_sum",
            Shelf,
            follows="read",
            shape="all",
            gather=lambda _cursor, unit: Shelf(unit.unit),
            run=nothing,
        ),
    )
    register(Pipeline("bench", "A library", steps))


TYPES = ("bench_list", "bench_read", "bench_sum")


def connect() -> psycopg.Connection[Any]:
    """As a worker's lane connects."""
    import os

    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def open_all(names: list[str], books: int = FAN_OUT) -> None:
    from jobs.pipelines import Opening, open_units
    from synops.store.identities import SYSTEM_COLLECTION_ID

    with connect() as own, own.transaction(), own.cursor() as cursor:
        open_units(cursor, [Opening("bench", name, SYSTEM_COLLECTION_ID, Shelf(name, books)) for name in names])


def claim(own: psycopg.Connection[Any], worker: Any) -> Any:
    from jobs import queue

    with own.transaction(), own.cursor() as cursor:
        return queue.claim_inline(cursor, worker_id=worker, types=TYPES)


def run(own: psycopg.Connection[Any], jobs: Any) -> None:
    from jobs.registries import registries
    from jobs.worker.inline import run_batch

    with own.transaction(), own.cursor() as cursor:
        run_batch(cursor, jobs, registries.inline)


def work() -> int:
    """A worker's inline lane until no step is left: a claim and a batch, each a transaction; how many steps."""
    from synops.graph.columns import new_id

    worker, done = new_id(), 0
    with connect() as own:
        while True:
            if jobs := claim(own, worker):
                run(own, jobs)
                done += len(jobs)
            elif not own.execute("SELECT EXISTS (SELECT FROM pipeline_generations WHERE state = 'running')").fetchone()[
                0
            ]:  # type: ignore[index]
                return done


def steps_per_second(label: str, workers: int) -> float:
    open_all([f"{label} {nth}" for nth in range(UNITS)])
    began = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        steps = sum(pool.map(lambda _nth: work(), range(workers)))
    rate = steps / (time.perf_counter() - began)
    log(f"{workers} workers: {steps} steps, {rate:,.0f}/s")
    return rate


# -- the fan-in ------------------------------------------------------------------------------------------------------


def fan_in_ms() -> float:
    """The batch that holds the last document of 10,000: its claim is not counted, its mark, fan-in and finish are."""
    times = []
    for nth in range(3):
        times.append(last_document_ms(f"large {nth}"))
        log(f"fan-in {times[-1]:.1f} ms")
    return statistics.median(times)


def last_document_ms(name: str) -> float:
    from synops.graph.columns import new_id

    worker = new_id()
    open_all([name], DOCUMENTS)
    with connect() as own:
        run(own, claim(own, worker))
        while jobs := claim(own, worker):
            left = own.execute(
                "SELECT count(*) FROM pipeline_steps WHERE unit = %s AND step = 'read' AND state = 'pending'", [name]
            ).fetchone()
            if left is not None and left[0] == len(jobs) and len(jobs) > 1:
                run(own, jobs[:-1])
                jobs = jobs[-1:]
            began = time.perf_counter()
            run(own, jobs)
            if len(jobs) == 1 and jobs[0].job_type == "bench_read":
                took = (time.perf_counter() - began) * 1000
        return took


# -- pages over five million steps -----------------------------------------------------------------------------------


def fill() -> None:
    """Sixty days of ended steps, 22 a unit: some failed for good, the last thousand units still under way."""
    began = time.perf_counter()
    units = STEP_ROWS // (FAN_OUT + 2)
    with connect() as own:
        own.execute("SET session_replication_role = replica")  # no foreign key is asked five million times
        indexes = own.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'pipeline_steps' AND indexname IN "
            "('pipeline_steps_open', 'pipeline_steps_job', 'pipeline_steps_finished')"
        ).fetchall()
        for name, _definition in indexes:
            own.execute(f"DROP INDEX {name}")
        own.execute(
            "INSERT INTO pipeline_generations (pipeline, unit, generation, collection_node_id, cause, state, created_at, "
            "finished_at) SELECT 'bench', 'old ' || n, 1, (SELECT id FROM nodes WHERE node_kind = 'collection' LIMIT 1), "
            "'selected', CASE WHEN n > %(done)s THEN 'running' ELSE 'succeeded' END, at, CASE WHEN n <= %(done)s THEN at END "
            "FROM (SELECT n, now() - (%(units)s - n) * (interval '60 days' / %(units)s) AS at "
            "FROM generate_series(1, %(units)s) n) u",
            {"units": units, "done": units - 1000},
        )
        own.execute(
            "INSERT INTO pipeline_steps (pipeline, unit, generation, step, item, collection_node_id, state, attempt, "
            "payload, job_id, created_at, updated_at, finished_at) "
            "SELECT 'bench', g.unit, 1, CASE k WHEN 0 THEN 'list' WHEN 21 THEN 'sum' ELSE 'read' END, k::text, "
            "g.collection_node_id, CASE WHEN g.finished_at IS NULL AND k > 10 THEN 'pending' "
            "WHEN g.id % 100 = 7 AND k = 5 THEN 'permanently_failed' ELSE 'succeeded' END, 1, '{}', gen_random_uuid(), "
            "g.created_at, g.created_at, CASE WHEN g.finished_at IS NULL AND k > 10 THEN NULL ELSE g.created_at END "
            "FROM pipeline_generations g, generate_series(0, 21) k WHERE g.unit LIKE 'old %'"
        )
        for _name, definition in indexes:
            own.execute(definition)
        own.execute("VACUUM ANALYZE pipeline_steps, pipeline_generations")
    log(f"filled in {time.perf_counter() - began:.0f} s")


def page_queries() -> dict[str, float]:
    """The statements of the overview and of the first page of each list, in ms, as a superuser sees them: the most rows."""
    from django.contrib.auth.models import User
    from django.db import connection

    from jobs.models import Generation, PipelineStep
    from jobs.pipelines.figures import ended_lately, open_steps

    user = User(pk=1, is_superuser=True, is_active=True)
    steps = PipelineStep.objects.visible_to(user).order_by("-id")
    generations = Generation.objects.visible_to(user).order_by("-id")
    failed = steps.filter(pipeline__in=["bench"], state="permanently_failed")
    one_unit = steps.filter(pipeline__in=["bench"], unit="old 1000")
    with connection.cursor() as cursor:
        questions: dict[str, Callable[[], Any]] = {
            "overview_ms": lambda: (open_steps(cursor, user), ended_lately(cursor, user, "bench", 24)),
            "steps_ms": lambda: list(steps[:100]),
            "units_ms": lambda: list(generations[:100]),
            "failed_ms": lambda: list(failed[:100]),
            "search_ms": lambda: list(one_unit[:100]),
        }
        return {name: round(median_ms(question), 2) for name, question in questions.items()}


def median_ms(question: Callable[[], Any]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        question()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
