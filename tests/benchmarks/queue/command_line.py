"""Programs end to end: from the waiting row to the stored result, two at a time, beside the bare program and the peers.

The program is synops-checksum over a small file: argparse, JSON and a checked payload, as in all our tools. It is executed
when it is reached through a link on the tool path, and forked from its preloaded module under its own name.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from jobs import queue
from jobs.launcher.descendants import descendants
from jobs.queue import NewJob
from synops.graph.columns import new_id
from synops.store.files import FileStore
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.benchmarks.house import ROOT, House
from tests.benchmarks.queue.memory import resident_mb
from tests.benchmarks.report import Report
from tests.benchmarks.systems import PEERS, System

SLOTS = 2
WARMING = 40
MOST_SECONDS = 90.0
TOOL = Path(sys.executable).with_name("synops-checksum")
DJANGO_TOOL = "synops-bench-django"
DJANGO_SCRIPT = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.benchmarks.django_tool import main
sys.exit(main())
"""

LEFT = "SELECT count(*) FROM job_queue WHERE status IN ('pending', 'retry', 'running')"
RATE = """
SELECT count(*) FILTER (WHERE outcome = 'succeeded'),
       (count(*) - 1) / extract(epoch FROM max(completed_at) - min(completed_at))::float8
FROM (SELECT outcome, completed_at FROM job_queue ORDER BY completed_at DESC LIMIT %s) last
"""


@dataclass(frozen=True)
class Counts:
    """How many programs a rate is taken from: of those that are executed, forked, and executed with Django."""

    executed: int = 300
    forked: int = 3_000
    with_django: int = 24


def measure(house: House, others: Mapping[str, System], report: Report, counts: Counts = Counts()) -> None:
    store = house.folder / "store"
    digest = FileStore(store).put_bytes(b"a small file").digest
    environment = {**house.environment, "STORE_DIR": str(store)}
    argv = [str(TOOL), f"--cas-hash={digest}"]
    job = NewJob(SYSTEM_COLLECTION_ID, "checksum", {"cas_hash": digest})

    bare = popen_rate(argv, environment, counts.executed)
    executed, _ = our_rate(house, job, counts.executed, on_path(environment, linked(house)))
    forked, memory = our_rate(house, job, counts.forked, environment)
    rates = {
        name: peer_rate(others[name], argv, environment["STORE_DIR"], counts.executed)
        for name in ("pgqueuer", "procrastinate")
        if name in others
    }
    report.note("the same program, 2 at a time", **{"bare Popen": bare, **rates}, unit="jobs/s")
    report.note("worker memory while it runs programs", **memory, unit="MB")
    report.measured("CLI jobs/s end to end, exec, 2 slots, against bare Popen", executed, bare)
    report.measured("CLI jobs/s end to end, fork server, against bare Popen", forked, bare)
    measure_django(house, environment, report, counts)


def measure_django(house: House, environment: Mapping[str, str], report: Report, counts: Counts) -> None:
    """The row of a program that needs Django."""
    program = house.folder / "django-tools" / DJANGO_TOOL
    program.parent.mkdir()
    program.write_text(DJANGO_SCRIPT)
    program.chmod(0o755)
    bare = popen_rate([str(program)], environment, counts.with_django)
    job = NewJob(SYSTEM_COLLECTION_ID, "bench_django", {})
    forked, memory = our_rate(
        house, job, counts.forked // 2, on_path(environment, program.parent), ("-m", "tests.benchmarks.django_worker")
    )
    report.note("worker memory with Django preloaded", **memory, unit="MB")
    report.measured("CLI jobs/s end to end, fork server with Django, against bare Popen", forked, bare)


def linked(house: House) -> Path:
    """A folder with a link to the program: what does not lie beside the interpreter is never preloaded."""
    folder = house.folder / "tools"
    folder.mkdir()
    (folder / TOOL.name).symlink_to(TOOL)
    return folder


def on_path(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    return {**environment, "SYNOPS_TOOLS_PATH": str(folder)}


def popen_rate(argv: list[str], environment: Mapping[str, str], count: int) -> float:
    """Programs a second from two threads, nothing else done. Each in a session of its own, as ours are: beside other work
    the kernel shares the processors out by session."""

    def some(_seat: int) -> None:
        for _ in range(count // SLOTS):
            subprocess.run(
                argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True, start_new_session=True
            )

    with ThreadPoolExecutor(SLOTS) as pool:
        began = time.perf_counter()
        list(pool.map(some, range(SLOTS)))
        return count / (time.perf_counter() - began)


def our_rate(
    house: House,
    job: NewJob,
    count: int,
    environment: Mapping[str, str],
    program: tuple[str, ...] = ("manage.py",),
) -> tuple[float, dict[str, float]]:
    """Jobs a second, and the resident memory of the worker and of everything below it, in MB."""
    with house.connect() as connection:
        connection.execute("TRUNCATE job_queue CASCADE")
    with house.connect() as connection, our_worker(environment, job.job_type, program) as worker:
        drain(connection, job, WARMING)  # the modules are preloaded, the connections made
        drain(connection, job, count)
        done, rate = connection.execute(RATE, [count]).fetchone() or (0, 0.0)
        below = sum(process.resident_kb for process in descendants(worker.pid)) / 1024
        memory = {"worker": resident_mb(worker.pid), "launcher and slots": below}
    if done != count:
        raise RuntimeError(f"{done} of {count} {job.job_type} jobs succeeded: that is no rate")
    return rate, memory


def drain(connection: psycopg.Connection[Any], job: NewJob, count: int) -> None:
    """Enqueue as many of the job, and wait until no job is left."""
    queue.enqueue_many(connection.cursor(), [replace(job, id=new_id()) for _ in range(count)])
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end and connection.execute(LEFT).fetchone() != (0,):
        time.sleep(0.2)


@contextlib.contextmanager
def our_worker(
    environment: Mapping[str, str], job_type: str, program: tuple[str, ...]
) -> Iterator[subprocess.Popen[bytes]]:
    """One worker of two slots that runs nothing else."""
    process = subprocess.Popen(
        [sys.executable, *program, "runworker", f"--types={job_type}", f"--max-concurrent={SLOTS}"],
        cwd=ROOT,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def peer_rate(system: System, argv: list[str], store: str, count: int) -> float:
    """Jobs a second of a peer that runs the same program, from the first program's end to the last one's."""
    program = PEERS / f"{system.name}_cli_peer.py"
    cli = replace(
        system,
        name=f"{system.name}-cli",
        command=[system.command[0], str(program)],
        environment={**system.environment, "STORE_DIR": store, "BENCH_ARGV": json.dumps(argv)},
        stamps=system.stamps.with_suffix(".cli"),
    )
    cli.forget_stamps()
    cli.call("bulk", count)
    with cli.worker():
        stamps = cli.wait_for_stamps(count, MOST_SECONDS)
    ended = sorted(at for _, at in stamps)
    if len(ended) != count:
        raise RuntimeError(f"{len(ended)} of {count} programs of {cli.name} ended: that is no rate")
    return (count - 1) / (ended[-1] - ended[0])
