"""A running Synops as a newcomer has it, and what can be seen of it from outside."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import pexpect
import psycopg

from synops.database.address import PROJECT, server_address
from synops.store.files import FileStore
from tests.database.users import environment, processes
from tests.deadline import wait_until

NAP = """#!/bin/sh
if [ "$1" = --describe ]; then
    echo '{"name": "synops-nap", "version": "1.0", "description": {"nb": "Sover.", "en": "Sleeps."}, "job_types": ["nap"]}'
    exit
fi
exec sleep SECONDS
"""


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


class House:
    """One installation: its `var`, its port, and the command that starts it."""

    def __init__(self, directory: Path, project: Path = PROJECT, python: str = sys.executable, **env: str) -> None:
        self.var, self.project, self.python = directory / "var", project, python
        self.port = free_port()
        self.nap = f"{1000 + self.port}.25"  # seconds of sleep that no other process on the machine asks for
        self.tools = directory / "tools"
        self.tools.mkdir()
        program = self.tools / "synops-nap"
        program.write_text(NAP.replace("SECONDS", self.nap))
        program.chmod(0o755)
        own = {
            "PORT": str(self.port),
            "SYNOPS_TOOLS_PATH": str(self.tools),
            "PYTHONPATH": "",
            "DRAIN_SECONDS": "2",
            "DJANGO_SUPERUSER_PASSWORD": "their own",
        }
        self.env = environment(self.var, **{**own, **env})
        self.output = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def open(self, command: Sequence[str] = (), seconds: float = 120) -> pexpect.spawn:
        """Starts it in a terminal and waits until it greets."""
        command = command or (self.python, str(self.project / "manage.py"), "start", "--no-demo")
        terminal = pexpect.spawn(
            command[0], list(command[1:]), env=self.env, cwd=str(self.project), encoding="utf-8", timeout=seconds,
            dimensions=(50, 400),
        )  # fmt: skip
        self.terminal = terminal  # kept: when the object goes, so does the terminal
        self.output = ""
        while not ("Ctrl-C stops everything" in self.output and "ready on " in self.output):  # in any order
            terminal.expect("\n")
            self.output += terminal.before
        return terminal

    def manage(self, *arguments: str) -> str:
        command = [self.python, str(self.project / "manage.py"), *arguments]
        said = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=120)
        assert said.returncode == 0, said.stderr
        return said.stdout.strip()

    def password(self) -> str:
        """The password that was printed."""
        found = re.search(r"with the password (\S+)", self.output)
        assert found, self.output
        return found[1]

    def log_in(self) -> str:
        """Logs in as a browser does; returns the page that follows."""
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        page = browser.open(self.url, timeout=30)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
        assert token
        form = {"csrfmiddlewaretoken": token[1], "username": "admin", "password": self.password(), "next": "/admin/"}
        return str(browser.open(page.url, data=urlencode(form).encode(), timeout=30).read().decode())

    def query(self, sql: str) -> list[tuple[object, ...]]:
        url = self.env.get("DATABASE_URL") or server_address(self.var / "postgres")
        with psycopg.connect(url) as connection:
            return connection.execute(sql.encode()).fetchall()

    def run_checksum_job(self) -> dict[str, object]:
        """Stores a file, gives it a node in the system's collection, and runs a job on it to its end."""
        stored = FileStore(self.var / "store").put_bytes(b"en liten fil")
        self.manage("shell", "-c", MEDIA.format(digest=stored.digest, size=stored.size))
        id = self.manage(
            "enqueue", "checksum", "--collection=system", f"--payload={json.dumps({'cas_hash': stored.digest})}"
        )
        wait_until(lambda: self.status(id) == "completed", "the checksum job is completed")
        result = self.query(f"SELECT result FROM job_queue WHERE id = '{id}'")[0][0]
        assert isinstance(result, dict)
        assert result["digest"] == stored.digest
        return result

    def start_nap(self) -> str:
        """Enqueues a job that sleeps, and waits until it runs; returns its id."""
        id = self.manage("enqueue", "nap", "--collection=system")
        wait_until(self.nappers, "the job's program runs")
        wait_until(lambda: self.status(id) == "running", "the job is seen to run")
        return id

    def status(self, id: str) -> object:
        return self.query(f"SELECT status::text FROM job_queue WHERE id = '{id}'")[0][0]

    def nappers(self) -> list[int]:
        """Processes of the sleeping job."""
        return [pid for pid in processes() if f"sleep\0{self.nap}\0" in command_line(pid)]

    def inhabitants(self) -> list[int]:
        """Every process of this installation: those with its `var` in command line or environment, and its jobs'."""
        marks = (str(self.var), str(self.var.resolve()))
        ours = [pid for pid in processes() if pid != os.getpid() and any(mark in traces(pid) for mark in marks)]
        return [*ours, *self.nappers()]

    def is_empty(self) -> bool:
        return not self.inhabitants()

    def assert_nothing_survives(self, seconds: float) -> None:
        wait_until(self.is_empty, f"nothing of {self.var} runs", seconds)

    def jobs_left(self) -> set[str]:
        """Type and state of the tests' own jobs, looked up when everything is down, and cleared away.

        Others may be there: the installation's schedules fire by the clock, whenever a test happens to run.
        """
        program = (
            "from jobs.models import Job\n"
            "own = Job.objects.filter(job_type__in=['checksum', 'nap'])\n"
            "for job in own: print('>', job.job_type, job.status)\n"
            "own.delete()"
        )
        return set(re.findall(r"^> (.*)$", self.manage("shell", "--verbosity=0", "-c", program), re.MULTILINE))

    def close(self) -> None:
        for pid in self.inhabitants():
            try:
                os.kill(pid, 15)
            except ProcessLookupError:
                continue
        self.assert_nothing_survives(60)

    def mode(self, name: str) -> int:
        return stat.S_IMODE((self.var / name).stat().st_mode)


MEDIA = """
from django.db import transaction
from synops.graph.models import Edge, Node
collection = Node.objects.get(node_kind="collection", metadata__slug="system")
with transaction.atomic():
    media = Node.objects.create(node_kind="media", title="fil", metadata={{"cas_hash": "{digest}", "size": {size}}})
    Edge.objects.create(source=media, target=collection, edge_type="belongs_to")
"""


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def traces(pid: int) -> str:
    """What a process was started with. A zombie has none of it: it is dead."""
    try:
        return command_line(pid) + Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return command_line(pid)
