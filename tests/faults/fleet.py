"""The workers: real processes, each behind a wire of its own, killed and replaced; and what they leave behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tests.deadline import wait_until
from tests.faults.house import House
from tests.faults.programs import HIDDEN_SECONDS
from tests.jobs.worker.wire import Wire
from tests.web import PROJECT

ORPHAN_SECONDS = 20.0
"""How long a killed worker's programs may live on: launcher and slots notice its death at once, then TERM, grace, KILL."""

READY_SECONDS = 120.0


@dataclass
class Place:
    """A worker's place: its machine, its wire, and the process that fills it now."""

    name: str
    machine: str
    wire: Wire
    process: subprocess.Popen[bytes] | None = None
    var: Path = Path()


class Fleet:
    """Three places on two machines. Counts what it does to them."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._started = 0
        self.kills = 0
        self.orphans: list[str] = []
        self.ends: list[int] = []
        machines = (("a", "one"), ("b", "one"), ("c", "two"))
        self.places = [Place(name, machine, Wire(house.server.url)) for name, machine in machines]

    @property
    def wires(self) -> list[Wire]:
        return [place.wire for place in self.places]

    def start(self) -> None:
        for place in self.places:
            self.fill(place)

    def fill(self, place: Place, log: BinaryIO | None = None, program: Sequence[str] = ("manage.py",)) -> None:
        """Start a worker in a place; its `var` tells its programs from those of the one before."""
        self._started += 1
        place.var = self._house.folder / f"var-{self._started}"
        opened = log or (self._house.folder / f"worker-{place.name}.log").open("ab")
        try:
            place.process = subprocess.Popen(
                [sys.executable, *program, "runworker", f"--machine={place.machine}", "--max-concurrent=4"],
                cwd=PROJECT,
                env={**self._house.environment(place.wire.address), "SYNOPS_VAR": str(place.var)},
                stdin=subprocess.DEVNULL,
                stdout=opened,
                stderr=opened,
                start_new_session=True,
            )
        finally:
            opened.close()

    def working(self) -> None:
        """Wait until every place's worker has registered: one that is killed before that loses nothing."""
        pids = [place.process.pid for place in self.places if place.process]
        statement = "SELECT count(DISTINCT pid) FROM workers WHERE pid = ANY(%s) AND state = 'running'"
        with self._house.connect() as connection:
            wait_until(
                lambda: connection.execute(statement, [pids]).fetchone() == (len(pids),),
                "all workers work",
                READY_SECONDS,
            )

    def kill(self, place: Place) -> None:
        """`kill -9` of the worker alone; everything below it must go by itself."""
        assert place.process
        place.process.send_signal(signal.SIGKILL)
        place.process.wait()
        self.kills += 1
        self._expect_nothing_of(place.var)

    def kill_and_replace(self, place: Place) -> None:
        self.kill(place)
        self.fill(place)

    def any_place(self) -> Place:
        return random.choice(self.places)

    def stop(self) -> None:
        """SIGTERM, and wait: a worker drains and ends with 0."""
        for place in self.places:
            if place.process:
                place.process.send_signal(signal.SIGTERM)
        for place in self.places:
            if place.process:
                self.ends.append(place.process.wait(120))
                self._expect_nothing_of(place.var)

    def abandon(self) -> None:
        """Whatever happened: nothing of ours stays."""
        for place in self.places:
            if place.process and place.process.poll() is None:
                place.process.kill()
                place.process.wait()
            place.wire.close()

    def _expect_nothing_of(self, var: Path) -> None:
        try:
            wait_until(lambda: not processes_with(str(var)), f"no process of {var.name}", ORPHAN_SECONDS)
        except AssertionError:
            self.orphans += processes_with(str(var))

    def hidden_children(self) -> list[str]:
        """Children that tried to hide from their slot (env -i, setsid, double fork) and live."""
        return processes_with(f"{HIDDEN_SECONDS}.{self._house.marker}")


def processes_with(marker: str) -> list[str]:
    """Living processes with `marker` in their command line or environment: pid and command."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes()
                text = line + (folder / "environ").read_bytes()
            except OSError:
                continue
            if marker.encode() in text:
                found.append(f"{folder.name} {line.replace(bytes(1), b' ').decode(errors='replace')[:120]}")
    return found
