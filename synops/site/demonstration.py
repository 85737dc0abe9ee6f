"""The demo: a real recording goes in, a podcast feed comes out, through the recipe that ships with the product."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.utils.translation import override

from orchestration.models import Run, RunStep
from orchestration.recipes import CannotActivate, activate
from orchestration.seeds import PODCAST_ID
from orchestration.states import RunStatus
from orchestration.watching import StillRunning, follow
from orchestration.work_items import connect
from synops.database.address import PROJECT
from synops.demo import data
from synops.store.files import FileStore

LONGEST_SECONDS = 600.0
START_SECONDS = 60.0


class DemoFailed(RuntimeError):
    """What went wrong, and what to do."""


@dataclass(frozen=True)
class Ended:
    """The demo's conversation has ended: the event that says so."""

    event_id: int


def prepare() -> data.DemoNodes:
    """Load the demo's nodes, and make the shipped podcast recipe active in its collection. Idempotent."""
    with transaction.atomic(), connection.cursor() as cursor:
        nodes = data.load(cursor, FileStore.from_environment())
        connect(cursor, PODCAST_ID, "belongs_to", [nodes.collection])
    _activate()
    return nodes


def is_loaded() -> bool:
    """Whether the demo has been loaded into this database before, and is still there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM nodes WHERE id = %(id)s", {"id": data.demo_id("communication")})
        return cursor.fetchone() is not None


def end_conversation() -> Ended:
    """End the conversation, anew if it had ended before."""
    with transaction.atomic(), connection.cursor() as cursor:
        data.end(cursor)
        cursor.execute(
            """SELECT max(id) FROM graph_events WHERE event = 'communication.ended' AND node_id = %(id)s
               AND done_at IS NULL""",
            {"id": data.demo_id("communication")},
        )
        row = cursor.fetchone()
    assert row is not None  # noqa: S101 (an aggregate has a row)
    return Ended(row[0])


def steps(ended: Ended) -> Iterator[RunStep]:
    """The run's alternatives, each when it has ended; by a live worker, or one started for the purpose."""
    with somebody_working() as worker:
        run_id = worker.wait_for_run(ended)
        try:
            yield from follow(run_id, LONGEST_SECONDS, worker.is_working)
        except StillRunning as error:
            raise DemoFailed(f"{error}. {worker.last_words()}") from error
    run = Run.objects.get(pk=run_id)
    if run.status != RunStatus.COMPLETED:
        raise DemoFailed(f"the run ended as {run.status}; its page in the admin says why")


def feed_path() -> str:
    """Where the demo's feed was published."""
    last = RunStep.objects.filter(
        run__orchestration_id=PODCAST_ID, run__node_id=data.demo_id("communication"), tool="synops-rss"
    ).order_by("-id")
    step = last.filter(state="succeeded").first()
    if step is None or not isinstance(step.result, dict) or "feed_path" not in step.result:
        raise DemoFailed("the last step says nothing of a feed")
    return str(step.result["feed_path"])


def _activate() -> None:
    """Activate the recipe; on a database that has not been told of the tools yet, tell it first."""
    with override("en"):
        try:
            activate(PODCAST_ID)
        except CannotActivate:
            call_command("sync_tools", stdout=io.StringIO())
            try:
                activate(PODCAST_ID)
            except CannotActivate as problem:
                raise DemoFailed(
                    f"the podcast recipe can't run: {problem} (run `make install`, then try again)"
                ) from problem


@dataclass
class Working:
    """Whoever does the work: a live worker elsewhere, or `process`, with what it has written."""

    process: subprocess.Popen[bytes] | None = None
    log: IO[bytes] | None = None

    def is_working(self) -> bool:
        return alive_workers() if self.process is None else self.process.poll() is None

    def last_words(self) -> str:
        """What a person should know when the work was not done."""
        if self.log is None:
            return "The worker that was alive has stopped."
        self.log.seek(0)
        return "The worker said:\n" + self.log.read().decode(errors="replace")[-2000:]

    def wait_for_run(self, ended: Ended) -> UUID:
        """The run that the event has started."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            hopeful = self.is_working()
            run = Run.objects.filter(orchestration_id=PODCAST_ID, event_id=ended.event_id).first()
            if run is not None:
                return run.pk
            if not hopeful or time.monotonic() > deadline:
                raise DemoFailed(f"the recipe was not started. {self.last_words()}")
            time.sleep(0.1)


@contextmanager
def somebody_working() -> Iterator[Working]:
    """A live worker, or one of our own that ends when nothing is left to do."""
    if alive_workers():
        yield Working()
        return
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, str(PROJECT / "manage.py"), "runworker", "--drain"]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=PROJECT)
        try:
            yield Working(process, log)
            process.wait(START_SECONDS)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait()


def alive_workers() -> bool:
    """Whether a worker has shown itself within the time that counts as alive."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT EXISTS (SELECT FROM workers WHERE state = 'running'
               AND heartbeat_at > now() - make_interval(secs => %(ttl)s))""",
            {"ttl": settings.WORKER_TTL_SECONDS},
        )
        return bool((cursor.fetchone() or [False])[0])
