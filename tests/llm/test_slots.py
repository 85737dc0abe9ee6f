"""The slots that all calls of a machine share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from synops.llm.chat import complete
from synops.llm.failures import NotUsable, Unavailable
from synops.llm.slots import PIPELINE, slot
from tests.deadline import wait_until
from tests.llm.asking import QUESTION, endpoint
from tests.llm.server import Hang, Text, model_server


def test_all_calls_of_a_machine_share_its_slots(tmp_path: Path) -> None:
    with model_server(Hang()) as server:
        place = endpoint(server, tmp_path, max_concurrent=2, attempts=1)

        def call() -> None:
            with pytest.raises(Unavailable):
                complete(place, QUESTION)

        threads = [threading.Thread(target=call) for _ in range(5)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(server.requests) == 2, "two are asking")
        assert not server.closing.wait(0.3)
        assert len(server.requests) == 2
        server.closing.set()  # the server hangs up, on these and on the others
        for thread in threads:
            thread.join(60)
        assert len(server.requests) == 5


def test_pipelines_leave_slots_for_the_others(tmp_path: Path) -> None:
    with model_server(Text("x")) as server:
        place = endpoint(server, tmp_path, max_concurrent=2, pipeline_max_concurrent=1)
    got = threading.Event()

    def second() -> None:
        with slot(place, PIPELINE):
            got.set()

    with slot(place, PIPELINE):
        thread = threading.Thread(target=second)
        thread.start()
        with slot(place) as waited:
            assert waited < 30
            assert not got.wait(0.3)
    thread.join(60)
    assert got.is_set()


def test_death_frees_a_slot(tmp_path: Path) -> None:
    with model_server(Text("x")) as server:
        place = endpoint(server, tmp_path, max_concurrent=1)
    environ = {**os.environ, **server.environ, "SYNOPS_VAR": str(tmp_path), "SYNOPS_LLM_MAX_CONCURRENT": "1"}
    holder = (
        "import os, time; from synops.llm.endpoint import endpoint_of; from synops.llm.slots import slot\n"
        "with slot(endpoint_of(os.environ)): print('held', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", holder], env=environ, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    got: list[float] = []

    def take() -> None:
        with slot(place) as waited:
            got.append(waited)

    thread = threading.Thread(target=take)
    thread.start()
    wait_until(thread.is_alive, "the thread waits")
    assert not got
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    thread.join(60)
    assert got


def test_slots_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "llm-slots").write_text("a file")
    with model_server(Text("x")) as server, pytest.raises(NotUsable, match="Check SYNOPS_VAR"):
        complete(endpoint(server, tmp_path), QUESTION)
