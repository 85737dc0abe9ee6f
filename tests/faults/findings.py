"""What must hold when it is over: each a sentence, printed with what was found; and how it all went, case by case."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.faults.cases import Scene
from tests.faults.feeder import Feeder
from tests.faults.house import House
from tests.faults.sampler import Sampler

DRAIN_SECONDS = 240.0


@dataclass
class Findings:
    """Sentences with whether they hold."""

    lines: list[tuple[bool, str]] = field(default_factory=list)

    def check(self, holds: bool, sentence: str) -> None:
        self.lines.append((holds, sentence))
        print(f"{'holds ' if holds else 'BROKEN'}  {sentence}", flush=True)

    @property
    def sound(self) -> bool:
        return bool(self.lines) and all(holds for holds, _ in self.lines)


@dataclass(frozen=True)
class Case:
    """One fault and what followed. Rates in jobs a second; `recovery` is None when it took too long."""

    name: str
    before: float
    lasted: float
    recovery: float | None
    remark: str = ""

    def line(self) -> str:
        took = "NOT RECOVERED in 60 s" if self.recovery is None else f"recovered after {self.recovery:4.1f} s"
        return f"{self.name:18s} {self.before:5.1f}/s before, broken for {self.lasted:5.1f} s, {took}  {self.remark}"


def drained(house: House, feeder: Feeder) -> None:
    """Wait until everything that was enqueued has ended, waits for retries included."""
    end = time.monotonic() + DRAIN_SECONDS
    with house.connect() as connection:
        while time.monotonic() < end:
            left = connection.execute(
                "SELECT count(*) FROM job_queue WHERE status IN ('pending', 'retry', 'running')"
            ).fetchone()
            if left == (0,):
                return
            time.sleep(1)


def judge(scene: Scene, feeder: Feeder, sampler: Sampler, cases: Sequence[Case], findings: Findings) -> None:
    """Print what holds and what doesn't."""
    with scene.house.connect() as connection:

        def number(statement: str, *values: object) -> int:
            row = connection.execute(statement.encode(), list(values) or None).fetchone()
            return int(row[0]) if row else 0

        wanted = list(feeder.enqueued)
        there = number("SELECT count(*) FROM job_queue WHERE id = ANY(%s)", wanted)
        done = number(
            "SELECT count(*) FROM job_queue WHERE id = ANY(%s) AND status = 'completed' AND outcome = 'succeeded'",
            wanted,
        )
        twice = number("SELECT count(*) FROM (SELECT FROM fault_ends GROUP BY job_id HAVING count(*) > 1) more")
        open_attempts = number("SELECT count(*) FROM job_attempts WHERE finished_at IS NULL")
        successes = number(
            "SELECT count(*) FROM (SELECT FROM job_attempts WHERE outcome = 'succeeded' GROUP BY job_id "
            "HAVING count(*) > 1) more"
        )
        nodes = number("SELECT count(*) FROM nodes WHERE node_kind = 'fault' AND id = ANY(%s)", list(feeder.nodes))
        writing = [id for id, kind in feeder.enqueued.items() if kind == "fault_writing"]
        written = number(
            "SELECT count(*) FROM fault_writes f JOIN job_queue q ON q.id = f.job_id WHERE f.job_id = ANY(%s) "
            "AND q.status = 'completed'",
            writing,
        )
        rescues = number("SELECT coalesce(sum(interruptions), 0) FROM job_queue")
        attempts = number("SELECT count(*) FROM job_attempts")
        most = number("SELECT coalesce(max(interruptions), 0) FROM job_queue")
    findings.check(there == done == len(wanted) > 0, f"nothing is lost: {len(wanted)} enqueued, {done} succeeded")
    findings.check(twice == 0, f"nothing ends twice: {twice} jobs have more than one end in the database's own account")
    findings.check(successes == 0, f"no job has two successful attempts: {successes} of {attempts} attempts")
    findings.check(open_attempts == 0, f"every attempt has an end: {open_attempts} have none")
    findings.check(
        nodes == len(feeder.nodes) > 0, f"each inline job took effect once: {nodes} of {len(feeder.nodes)} nodes"
    )
    findings.check(written == len(writing) > 0, f"each writing job wrote once: {written} of {len(writing)} rows")
    findings.check(
        not sampler.exceeded and sampler.looks > 0,
        f"no limit was ever exceeded: {sampler.looks} looks at 10 Hz, {sampler.busy} with more than two jobs running, "
        f"at most weight {sampler.heaviest} of 8; {sampler.exceeded[:3] or 'none'}",
    )
    hidden = scene.fleet.hidden_children()
    findings.check(
        not scene.fleet.orphans and not hidden, f"no process is left over: {scene.fleet.orphans + hidden or 'none'}"
    )
    findings.check(
        bool(scene.fleet.ends) and not any(scene.fleet.ends),
        f"workers that are asked to stop end with 0: {scene.fleet.ends}",
    )
    late = [case.name for case in cases if case.recovery is None]
    findings.check(
        not late and bool(cases),
        f"95 % of the rate before within 60 s after each of {len(cases)} faults; late: {late or 'none'}",
    )
    findings.check(
        min(scene.fleet.kills, rescues, scene.outages) > 0,
        f"it was a test: {scene.fleet.kills} kills, {rescues} rescues (at most {most} of one job), {scene.outages} outages",
    )
