"""Two workers that share a database and nothing else: each its own folder and store, the remote one with a token."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.models import Attempt
from resources.models import Worker
from synops.site.tokens import create_token, revoke
from synops.store.files import FileStore
from tests.deadline import wait_until
from tests.jobs.worker.conftest import enqueue, wait_for
from tests.people import make_user
from tests.web import database_url, web_server

pytestmark = pytest.mark.django_db(transaction=True)

PUT = "from synops.store.files import FileStore; print(chr(34) + FileStore.from_environment().put_bytes(b'x').digest + chr(34))"


def test_a_remote_worker_with_an_empty_store_reads_and_writes_the_main_machines_files(
    tools, start_worker, tmp_path: Path
):
    """Heavy work goes to one machine and light work to the other by `--types`; budgets are each machine's own."""
    tools.add("write", f'exec {sys.executable} -c "{PUT}"', settings=["STORE_DIR"])
    tools.add("light", "echo 1")
    main = FileStore(tmp_path / "main" / "store")
    recording = main.put_bytes("opptak fra møtet".encode())
    token, secret = create_token("gpu-1", ["store"], make_user("remote"))
    with web_server(STORE_DIR=str(main.root)) as server:
        far = {"SYNOPS_VAR": str(tmp_path / "far"), "STORE_URL": server.url, "STORE_TOKEN": secret}
        near = {"SYNOPS_VAR": str(tmp_path / "main")}
        start_worker("--machine=gpu-1", "--types=checksum,write", "--governor=off", **far).ready()
        start_worker("--machine=main", "--types=light", **near).ready()
        read = wait_for(enqueue("checksum", payload={"cas_hash": recording.digest}), "completed")
        written = wait_for(enqueue("write"), "completed")
        light = wait_for(enqueue("light"), "completed")
        assert read.result["size"] == recording.size
        assert (tmp_path / "far" / "store" / recording.digest[:2] / recording.digest).is_file(), "its cache"
        assert main.path(written.result).read_bytes() == b"x", "what the remote worker made is on the main machine"
        machines = {worker.pk: (worker.machine, worker.governor) for worker in Worker.objects.all()}
        ran_on = {job.pk: machines[Attempt.objects.get(job=job).worker_id] for job in (read, written, light)}
        assert [ran_on[job.pk] for job in (read, written, light)] == [
            ("gpu-1", "off"),
            ("gpu-1", "off"),
            ("main", "auto"),
        ]
        revoke(token.pk)
        other = main.put_bytes(b"not for a revoked token")
        refused = wait_for(enqueue("checksum", payload={"cas_hash": other.digest}), "error")
        assert "create_token" in refused.error_msg
        wait_until(lambda: Attempt.objects.filter(job=refused, exit_code=78).exists(), "a person must act: no retry")


UNSHARE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-current-user", "--net"]
IN_ITS_OWN_NETWORK = f"""
import os, sys
os.execvp("unshare", [*{UNSHARE!r}, sys.executable, "manage.py", *sys.argv[1:]])
"""


def networks_can_be_had() -> bool:
    """Whether the kernel lets us (a container may not), and a worker without a network reaches the database by its socket."""
    if "host=%2F" not in database_url():
        return False
    with contextlib.suppress(OSError):
        return subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0
    return False


def test_workers_share_a_database_and_where_possible_no_network(tools, start_worker, tmp_path: Path):
    """Each in a network namespace of its own, with nothing in it; else only in a folder of its own."""
    apart = networks_can_be_had()
    program = ("-c", IN_ITS_OWN_NETWORK) if apart else ("manage.py",)
    for name in ("here", "there"):
        tools.add(name, """echo "\\"$(readlink /proc/self/ns/net)\\"" """)
        start_worker(f"--machine={name}", f"--types={name}", program=program, SYNOPS_VAR=str(tmp_path / name)).ready()
    jobs = [wait_for(enqueue(name), "completed") for name in ("here", "there")]
    networks = {str(Path("/proc/self/ns/net").readlink()), *(job.result for job in jobs)}
    assert len(networks) == (3 if apart else 1)
