"""Behind PgBouncer in transaction mode: claims and results go through the pooler, LISTEN and tools go past it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from django.db import connection

from resources.models import Worker
from tests.deadline import wait_until
from tests.jobs.worker.conftest import enqueue, wait_for
from tests.web import database_url


@pytest.fixture
def pooler(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """The address of a PgBouncer in front of the test's server; two server connections for everybody."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("the Debian package pgbouncer is missing")
    server = urlsplit(database_url())
    hosts = parse_qs(server.query)
    name, user = connection.settings_dict["NAME"], server.username or "synops"
    host = hosts["host"][0] if "host" in hosts else server.hostname
    port = hosts["port"][0] if "port" in hosts else server.port or 5432
    folder = tmp_path / "pooler"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    for parent in folder.parents[:4]:
        if parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    (folder / "users").write_text(f'"{user}" ""\n')
    listen = _free_port()
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{name} = host={host} port={port} user={user} dbname={name}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {listen}\nunix_socket_dir =\n"
        f"auth_type = any\nauth_file = {folder}/users\npool_mode = transaction\ndefault_pool_size = 2\n"
        f"logfile = {folder}/log\npidfile = {folder}/pid\n"
    )
    identity = _identity(str(host)) if os.geteuid() == 0 else {}
    process = subprocess.Popen([program, str(folder / "pgbouncer.ini")], stderr=subprocess.DEVNULL, **identity)
    try:
        wait_until(lambda: _listens(listen) or process.poll() is not None, "PgBouncer listens")
        assert process.poll() is None, (folder / "log").read_text()
        yield f"postgresql://{quote(user)}@127.0.0.1:{listen}/{name}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def _identity(host: str) -> dict[str, object]:
    """PgBouncer refuses to run as root; the owner of the server's socket is the one who may reach it."""
    owner = Path(host).stat().st_uid if host.startswith("/") else pwd.getpwnam("nobody").pw_uid
    return {"user": owner, "group": pwd.getpwuid(owner).pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_worker_works_through_the_pooler_and_hears_new_work_past_it(pooler, tools, start_worker):
    tools.add("quick", 'printf \'"%s"\' "$DATABASE_URL"', database="read")
    worker = start_worker("--poll-interval=3600s", DATABASE_URL=pooler, DATABASE_DIRECT_URL=database_url()).ready()
    wait_until(lambda: Worker.objects.filter(listening=True), "the worker listens")
    jobs = [enqueue("quick") for _ in range(6)]
    results = {wait_for(job, "completed").result for job in jobs}
    assert all("127.0.0.1" not in result for result in results), "a tool gets the direct address"
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0, worker.output()
