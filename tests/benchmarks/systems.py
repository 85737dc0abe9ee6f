"""The systems that are measured, ours among them: each is installed, set up, fed and drained in the same way."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from tests.benchmarks.house import ROOT, House
from tests.benchmarks.peers.stamps import read_stamps

PEERS = Path(__file__).parent / "peers"
INSTALLED = ROOT / "var" / "bench"
STAMP_BYTES = 16
LIBPQ = {"host": "host", "port": "port", "user": "user", "database": "dbname"}


@dataclass
class System:
    """One queue: the command line of its program, and the environment that leads it to its own database."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    stamps: Path
    folder: Path = field(default=PEERS)

    def call(self, *arguments: object) -> float:
        """Run a command of the program to its end; the seconds that it says it took, connecting not included."""
        said = subprocess.run(
            [*self.command, *map(str, arguments)],
            cwd=self.folder,
            env=self._environment(),
            stdout=subprocess.PIPE,
            check=True,
            timeout=180,
        )
        lines = said.stdout.decode().strip().splitlines()
        return float(json.loads(lines[-1])["seconds"]) if lines else 0.0

    @contextlib.contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        """One worker, for the block."""
        with (self.stamps.parent / f"{self.name}.log").open("ab") as log:
            process = subprocess.Popen(
                [*self.command, "worker"],
                cwd=self.folder,
                env=self._environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _environment(self) -> dict[str, str]:
        return {**self.environment, "BENCH_STAMPS": str(self.stamps)}

    def forget_stamps(self) -> None:
        self.stamps.unlink(missing_ok=True)

    def wait_for_stamps(self, count: int, seconds: float) -> list[tuple[float, float]]:
        """The stamps once there are so many; those that there are when the time is up."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._stamped() < count:
            time.sleep(0.02)
        return read_stamps(self.stamps) if self.stamps.exists() else []

    def _stamped(self) -> int:
        return self.stamps.stat().st_size // STAMP_BYTES if self.stamps.exists() else 0


def ours(house: House) -> System:
    """Synops in the house's own database."""
    environment = {**house.environment, "PYTHONPATH": str(ROOT)}
    return System(
        "synops", [sys.executable, str(PEERS / "synops_peer.py")], environment, house.folder / "synops.stamps", ROOT
    )


def peers(house: House) -> dict[str, System]:
    """The others, those that can be installed here, each set up in a database of its own."""
    python = install_python_peers()
    found = {
        name: _peer(house, name, [str(python), str(PEERS / f"{module}_peer.py")])
        for name, module in (
            ("pgqueuer", "pgqueuer"),
            ("procrastinate", "procrastinate"),
            ("django-tasks-db", "django_tasks"),
        )
    }
    if node := install_node_peers():
        found["graphile-worker"] = _peer(house, "graphile-worker", ["node", str(node / "graphile_peer.mjs")])
    for system in found.values():
        system.call("setup")
    return found


def _peer(house: House, name: str, command: Sequence[str]) -> System:
    url = house.new_database("bench_" + name.replace("-", "_"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "DJANGO_"))}
    where = conninfo_to_dict(url)
    libpq = {f"PG{part.upper()}": str(where[key]) for part, key in LIBPQ.items() if key in where}
    return System(name, command, {**environment, **libpq, "BENCH_URL": url}, house.folder / f"{name}.stamps")


def install_python_peers() -> Path:
    """A virtual environment with requirements-bench.txt; its interpreter."""
    home, wanted = INSTALLED / "venv", ROOT / "requirements-bench.txt"
    mark = home / "installed"
    if not mark.exists() or mark.read_text() != wanted.read_text():
        print("installing the other queues into var/bench (once)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(home / "bin/pip"), "install", "-q", "-r", str(wanted)], check=True)
        mark.write_text(wanted.read_text())
    return home / "bin" / "python"


def install_node_peers() -> Path | None:
    """A folder with node's queues; None where there is no npm."""
    if not shutil.which("npm"):
        print("npm is missing: graphile-worker is left out")
        return None
    home, wanted = INSTALLED / "node", PEERS / "package.json"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "node_modules").exists() or (home / "package.json").read_text() != wanted.read_text():
        shutil.copy(wanted, home)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, check=True)
    shutil.copy(PEERS / "graphile_peer.mjs", home)
    return home
