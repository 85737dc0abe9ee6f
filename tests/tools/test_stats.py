from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from synops.demo.data import DemoNodes
from synops.store.sql import load
from synops.tools.access_logs import EPISODE, find_logs, read_line
from synops.tools.user_agents import user_agents
from tests.tools.conftest import Outcome, Workshop, rows, running_job
from tests.tools.test_counting import PLAYER

OSLO = ZoneInfo("Europe/Oslo")


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"null", b'"x"', b'{"request": {"uri": 7}}', b'{"ts": 1, "request": {}}', b"\xff\xfe\x00",
     b'{"request": {"uri": "/a/episodes/' + b"0" * 64 + b'.mp3", "remote_ip": "nobody"}, "ts": 1, "size": 1, "status": 200}',
     b"[" * 100_000],
)  # fmt: skip
def test_no_line_stops_the_reading(line: bytes) -> None:
    assert read_line(line + b"\n", 9).request is None


def test_addresses_of_episodes() -> None:
    digest = "a" * 64
    for uri in (
        f"/public/demo/episodes/{digest}.mp3",
        f"/demo/episodes/{digest}.mp3?x=1",
        f"demo/episodes/{digest}.mp3",
    ):
        assert EPISODE.search(uri)[1] == f"demo/episodes/{digest}.mp3"
    for uri in ("/demo/feed.xml", f"/demo/episodes/{digest[:-1]}.mp3", f"/../episodes/{digest}.mp3", "/"):
        assert EPISODE.search(uri) is None


# --- the program, on logs in Caddy's documented form -----------------------------------------------------------------


def logged(
    uri: str, hour: float = 12, ip: str = "192.0.2.1", size: int = 5000, agent: str = PLAYER, **more: Any
) -> bytes:
    """A line as Caddy 2.6 writes it."""
    at = datetime.datetime(2026, 3, 2, tzinfo=OSLO) + datetime.timedelta(hours=hour)
    asked = {
        "remote_ip": ip,
        "method": "GET",
        "host": "x.no",
        "uri": uri,
        "headers": {"User-Agent": [agent], "Cookie": []},
    }
    record = {
        "level": "info",
        "ts": at.timestamp(),
        "logger": "http.log.access",
        "request": asked,
        "size": size,
        "status": 200,
    }
    return json.dumps(record | {"resp_headers": {"Server": ["Caddy"]}} | more).encode() + b"\n"


def stats(workshop: Workshop, *flags: str, **environ: str) -> Outcome:
    told = {"SYNOPS_CADDY_LOGS": str(workshop.root / "logs"), **environ}
    return workshop.run("synops-stats", *flags, **told)


def total() -> int:
    [(found,)] = rows("SELECT coalesce(sum(downloads), 0) FROM download_counts")
    return int(found)


def test_a_log_that_grows_is_cut_rotated_and_packed_counts_each_download_once(
    database_workshop: Workshop, demo: DemoNodes, episode: str
) -> None:
    logs = database_workshop.root / "logs"
    logs.mkdir()
    log = logs / "access.log"
    late = logged(episode, 13, "192.0.2.3")
    log.write_bytes(
        logged(episode, 9, size=400)
        + b'{"level":"info","ts":17{"broken\n'
        + logged("/public/demo/feed.xml")
        + late[:50]
    )
    assert stats(database_workshop).result["downloads"] == 0
    assert rows("SELECT 1 FROM log_positions") == []
    first = stats(database_workshop, "--write").result
    assert (first["downloads"], first["requests"], first["lines"], first["damaged_lines"]) == (0, 1, 3, 1)
    with log.open("ab") as stream:  # the half line is finished, and the first listener gets the rest
        stream.write(
            late[50:]
            + logged(episode, 10, size=700, resp_headers={"Content-Range": ["bytes 400-1099/10000"]}, status=206)
        )
    second = stats(database_workshop, "--write").result
    assert (second["downloads"], second["lines"], total()) == (2, 2, 2)
    # Rotated while more came, and then packed: the same log under another name, and a new one.
    with log.open("ab") as stream:
        stream.write(logged(episode, 14, "2001:db8::1"))
    log.rename(logs / "access-2026-03-02T12-00-00.000.log")
    log.write_bytes(logged(episode, 15, "2001:db8::2") + logged(episode, 15, "2001:db8:1::1"))
    third = stats(database_workshop, "--write").result
    assert (third["downloads"], total()) == (2, 4)  # two addresses of one /64 are one listener
    old = logs / "access-2026-03-02T12-00-00.000.log"
    (logs / f"{old.name}.gz").write_bytes(gzip.compress(old.read_bytes() + logged(episode, 16, "192.0.2.9")))
    old.unlink()
    assert stats(database_workshop, "--write").result["downloads"] == 1
    for _ in range(2):
        again = stats(database_workshop, "--write").result
        assert (again["downloads"], again["lines"], total()) == (0, 0, 5)
    assert rows("SELECT node_id, collection_id, day, app, downloads FROM download_counts") == [
        (demo.communication, demo.collection, datetime.date(2026, 3, 2), "Overcast", 5)
    ]
    # Who listened is kept as a keyed hash, until two days of newer requests have come.
    assert rows("SELECT count(*) FROM download_windows WHERE client ~ '^[0-9a-f]{32}$' AND counted") == [(5,)]
    with log.open("ab") as stream:
        stream.write(logged(episode, 12 + 72))
    assert stats(database_workshop, "--write").result["downloads"] == 1
    assert rows("SELECT count(*) FROM download_windows") == [(1,)]
    log.write_bytes(log.read_bytes()[:-200])
    assert [item.get("cut") for item in stats(database_workshop, "--write").result["logs"]] == [None, True]
    assert total() == 6
    everything = stats(database_workshop).result
    assert (everything["apps"], everything["window"], everything["user_agents"]) == (
        {"Overcast": 5},
        "calendar",
        "builtin",
    )
    assert (database_workshop.root / "var" / "statistics-salt").stat().st_mode & 0o777 == 0o600


def test_a_lost_job_counts_nothing_and_its_second_run_counts_once(
    database_workshop: Workshop, demo: DemoNodes, episode: str
) -> None:
    from synops.store.identities import SYSTEM_COLLECTION_ID

    logs = database_workshop.root / "logs"
    logs.mkdir()
    (logs / "access.log").write_bytes(logged(episode))
    job = running_job(SYSTEM_COLLECTION_ID, "stats_parse")
    assert stats(database_workshop, "--write", **(job | {"SYNOPS_LEASE": "9"})).code == 75
    assert total() == 0
    assert stats(database_workshop, "--write", **job).result["downloads"] == 1
    assert stats(database_workshop, "--write", **job).result["downloads"] == 0
    assert total() == 1
    done = stats(database_workshop, "--write", **running_job(demo.collection, "stats_parse"))
    assert (done.code, "system" in done.stderr) == (64, True)


def test_logs_that_are_not_there(database_workshop: Workshop, demo: DemoNodes) -> None:
    logs = database_workshop.root / "logs"
    done = stats(database_workshop)
    assert (done.code, f"no access log at {logs}" in done.stderr) == (65, True)
    logs.mkdir()
    (logs / "empty.log").touch()
    (logs / "cut.log.gz").write_bytes(gzip.compress(logged("/x"))[:20])
    assert stats(database_workshop, "--write").result["logs"] == []
    assert "skipped" in stats(database_workshop, SYNOPS_CADDY_LOGS="").result
    done = stats(database_workshop, f"--user-agents-dir={logs}")
    assert (done.code, "is no list of user agents" in done.stderr) == (78, True)


def test_lists_of_a_folder(tmp_path: Path) -> None:
    for kind, entries in {
        "bots": [{"name": "B", "pattern": "^Bot"}],
        "apps": [{"name": "A", "pattern": "App"}],
        "libraries": [{"name": "L", "pattern": "Lib", "category": "bot"}, {"name": "M", "pattern": "Medium"}],
        "browsers": [],
    }.items():
        (tmp_path / f"{kind}.runtime.json").write_text(json.dumps({"entries": entries}))
    agents = user_agents(str(tmp_path))
    assert agents.name == "opawg"
    assert [agents.identify(word) for word in ("BotApp", "App/1", "Lib", "Medium", "else")] == [
        ("B", True), ("A", False), ("L", True), ("M", False), ("other", False),
    ]  # fmt: skip


def test_the_statements_use_their_indexes(database_workshop: Workshop, demo: DemoNodes) -> None:
    with connection.cursor() as cur:
        cur.execute(
            """INSERT INTO download_windows (path, client, started_at, last_at, spans, counted)
               SELECT 'p' || n % 10, 'c' || n, now(), now(), '[]', false FROM generate_series(1, 5000) n"""
        )
        cur.execute("ANALYZE download_windows")
        cur.execute("EXPLAIN " + load("synops.store", "download_windows"), {"paths": ["p1"], "clients": ["c1"]})
        assert "download_windows_once" in str(cur.fetchall())
        cur.execute(
            """INSERT INTO nodes (node_kind, metadata)
               SELECT 'media', jsonb_build_object('cas_hash', md5(n::text)) FROM generate_series(1, 3000) n"""
        )
        cur.execute("ANALYZE nodes")
        cur.execute("EXPLAIN " + load("synops.store", "episodes_with_file"), {"digests": [demo.cas_hash]})
        plan = str(cur.fetchall())
        assert "nodes_cas_hash" in plan or "nodes_media_file" in plan


# --- a real Caddy ----------------------------------------------------------------------------------------------------


def test_which_files_are_logs(tmp_path: Path) -> None:
    for number, name in enumerate(("access.log", "access-2026.log", "other.log.gz", "notes.txt", "access.log.1")):
        data = f'{{"n": {number}}}\n'.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert {log.path.name for log in find_logs(tmp_path)} == {
        "access.log",
        "access-2026.log",
        "other.log.gz",
        "access.log.1",
    }
    assert {log.path.name for log in find_logs(tmp_path / "access.log")} == {"access.log", "access-2026.log"}
    assert {log.path.name for log in find_logs(tmp_path / "*.txt")} == {"notes.txt"}
