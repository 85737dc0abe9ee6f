"""Real workers: `manage.py runworker` as a process, on the test's database, with programs that a test writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from jobs import queue
from jobs.models import Job
from tests.deadline import wait_until
from tests.jobs.arrange import new_job
from tests.web import database_url

ROOT = Path(settings.BASE_DIR)
QUICK = {"HEARTBEAT_SECONDS": "0.3", "WORKER_TTL_SECONDS": "1.5", "SWEEP_SECONDS": "0.3", "TERM_GRACE_SECONDS": "1"}


class Tools:
    """A folder of programs on the tool path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, verb: str, script: str, **described: object) -> None:
        """A program `synops-<verb>` in sh, whose job type is the verb."""
        description = json.dumps({"name": f"synops-{verb}", "version": "1", "description": {"en": verb}, **described})
        path = self.folder / f"synops-{verb}"
        path.write_text(
            f"#!/bin/sh\nif [ \"$1\" = --describe ]; then cat <<'END'\n{description}\nEND\nexit 0; fi\n{script}\n",
            encoding="utf-8",
        )
        path.chmod(0o755)


class WorkerProcess:
    """One started worker."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log

    @property
    def pid(self) -> int:
        return self.process.pid

    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ready(self) -> WorkerProcess:
        wait_until(lambda: "ready on" in self.output() or self.process.poll() is not None, "the worker is ready")
        assert self.process.poll() is None, self.output()
        return self

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def ended(self, seconds: float = 60) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the worker did not end:\n{self.output()}") from None


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    folder = tmp_path / "tools"
    folder.mkdir()
    return Tools(folder)


@pytest.fixture
def start_worker(tools: Tools, tmp_path: Path, transactional_db: None) -> Iterator[object]:
    started: list[WorkerProcess] = []

    def start(*options: str, program: Sequence[str] = ("manage.py",), **environment: str) -> WorkerProcess:
        log = tmp_path / f"worker-{len(started)}.log"
        own = {"DATABASE_URL": database_url(), "SYNOPS_TOOLS_PATH": str(tools.folder), "PYTHONWARNINGS": "error"}
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, *program, "runworker", "--poll-interval=200ms", *options],
                cwd=ROOT,
                env={**os.environ, **QUICK, **own, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(WorkerProcess(process, log))
        return started[-1]

    yield start
    for worker in started:
        if worker.process.poll() is None:
            worker.signal(signal.SIGKILL)
            worker.process.wait()
        print(f"{worker.log.name}:\n{worker.output()}")  # shown when the test has failed


def enqueue(job_type: str, **fields: object) -> Job:
    """A job, committed."""
    with connection.cursor() as cursor:
        id = queue.enqueue(cursor, new_job(job_type, **fields))  # type: ignore[arg-type]
    return Job.objects.get(pk=id)


def wait_for(job: Job, status: str, seconds: float = 60) -> Job:
    """The job once it has this status."""

    def reached() -> bool:
        job.refresh_from_db()
        return job.status == status

    wait_until(reached, f"job {job.job_type} is {status}", seconds)
    return job


def processes_with(marker: str) -> list[int]:
    """Living processes that have `marker` in their command line or environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                text = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            except OSError:
                continue
            if marker.encode() in text:
                found.append(int(folder.name))
    return found
