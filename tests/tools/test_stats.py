from __future__ import annotations

import contextlib
import datetime
import gzip
import itertools
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import httpx2
import pytest
from django.db import connection, transaction

from synops.demo.data import DemoNodes, demo_id
from synops.store.downloads import Episode
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node, update_node
from synops.store.sql import load
from synops.tools.access_logs import EPISODE, find_logs, read_line
from synops.tools.counting import Rules, Sound, Tally, count, sift
from synops.tools.listening import Request, id3_header, needed_bytes, union
from synops.tools.user_agents import user_agents
from tests.deadline import wait_until
from tests.tools.conftest import Outcome, Workshop, rows, running_job

OSLO = ZoneInfo("Europe/Oslo")
PLAYER = "Overcast/3.0 (+http://overcast.fm/; iOS podcast app)"
EPISODE_ID = UUID(int=1)
SOUND = Sound(Episode(EPISODE_ID, UUID(int=2), 600.0), 1000)


def request(at: datetime.datetime, **changes: Any) -> Request:
    told: dict[str, Any] = {
        "at": at, "method": "GET", "status": 200, "path": "p", "address": "10.0.0.1", "agent": PLAYER, "asked_range": "",
        "sent": (0, 5000),
    }  # fmt: skip
    return Request(**(told | changes))


def counted(requests: list[Request], window: str = "calendar") -> Tally:
    rules, tally = Rules(user_agents(None), window, OSLO, bytes(32)), Tally()
    count(sift(requests, rules, lambda _: SOUND, tally), {}, rules, lambda _: SOUND, tally)
    return tally


@pytest.mark.parametrize(
    ("window", "expected"),
    [("calendar", [1, 1, 0, 1]), ("first_touch", [1, 0, 1, 1]), ("last_touch", [1, 0, 0, 1])],
)
def test_the_window_vector_of_the_guidelines(window: str, expected: list[int]) -> None:
    """IAB PTM 2.3, section 5.5: Monday 22:00, Tuesday 03:00, Tuesday 22:15, Wednesday 23:15."""
    times = [(2, 22, 0), (3, 3, 0), (3, 22, 15), (4, 23, 15)]
    asked = [request(datetime.datetime(2026, 3, day, hour, minute, tzinfo=OSLO)) for day, hour, minute in times]
    totals = [sum(counted(asked[:number], window).downloads.values()) for number in range(5)]
    assert [after - before for before, after in itertools.pairwise(totals)] == expected


NOON = datetime.datetime(2026, 3, 2, 12, tzinfo=OSLO)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"method": "HEAD"}, "not_get"),
        ({"status": 304}, "not_sent"),
        ({"status": 404}, "not_sent"),
        ({"status": 206, "asked_range": "bytes=0-1", "sent": (0, 2)}, "probe"),
        ({"agent": "atc/1.0 watchOS/10.1 model/Watch6,7"}, "watch_doublet"),
        ({"agent": "(null) (null) watchOS/10"}, "watch_doublet"),
        ({"agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"}, "robot"),
        ({"agent": "curl/8.1"}, "robot"),
        ({"agent": " - "}, "no_agent"),
        ({"sent": (0, 0)}, "nothing_sent"),
    ],
)
def test_what_counts_for_nothing(changes: dict[str, Any], reason: str) -> None:
    tally = counted([request(NOON, **changes)])
    assert (dict(tally.excluded), tally.requests, sum(tally.downloads.values())) == ({reason: 1}, 1, 0)


def test_pieces_are_put_together_and_the_same_piece_counts_once() -> None:
    def total(*spans: tuple[int, int]) -> int:
        return sum(counted([request(NOON, status=206, sent=span) for span in spans]).downloads.values())

    assert total((0, 600)) == total((0, 600), (0, 600)) == total((0, 600), (300, 900)) == 0
    assert total((0, 600), (600, 1000)) == total((900, 1500), (0, 400)) == 1
    assert union([(5, 9), (0, 3), (3, 4), (8, 12), (7, 7)]) == [(0, 4), (5, 12)]


def test_a_listener_is_an_address_with_an_app() -> None:
    asked = [
        request(NOON, address=address, agent=agent) for address in "ab" for agent in (PLAYER, "VLC/3.0 LibVLC/3.0")
    ]
    tally = counted(asked * 3)
    assert {(download.app, number) for download, number in tally.downloads.items()} == {("Overcast", 2), ("VLC", 2)}


def test_how_much_makes_a_download() -> None:
    assert needed_bytes(10_000_100, 100, 1000) == 100 + 600_000
    assert needed_bytes(10_000, 0, 30) == 10_000  # shorter than a minute: all of it
    assert needed_bytes(5_000_000, 0, None) == 960_000
    assert id3_header(b"ID3\x04\x00\x00\x00\x00\x02\x01") == 10 + 257
    assert id3_header(b"ID3\x04\x00\x10\x00\x00\x00\x01") == 21
    assert id3_header(b"\xff\xfb\x90\x00") == id3_header(b"") == 0


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


@pytest.fixture
def episode(database_workshop: Workshop, demo: DemoNodes) -> str:
    """The address of the demo's episode, published, with a bit rate at which a minute is 1,000 bytes."""
    digest = database_workshop.store.put_bytes(bytes(10_000)).digest
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(demo_id("sound"), "media", "", "", {"cas_hash": digest, "duration_seconds": 600}))
        insert_edge(cur, Edge(demo.communication, "has_media", demo_id("sound")))
    return f"/public/demo/episodes/{digest}.mp3"


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


def answers(address: str) -> bool:
    host, port = address.split(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 1):
        return True
    return False


@pytest.fixture
def caddy(database_workshop: Workshop, episode: str) -> Iterator[str]:
    """Debian's Caddy on this machine, serving the published folder; gives its address."""
    if not Path("/usr/bin/caddy").exists():
        pytest.skip("needs the Debian package caddy")
    root, logs = database_workshop.root, database_workshop.root / "logs"
    published = root / "var" / "public" / episode.removeprefix("/public/")
    published.parent.mkdir(parents=True)
    published.write_bytes(bytes(10_000))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    config = {
        "admin": {"disabled": True},
        "logging": {
            "logs": {
                "default": {"exclude": ["http.log.access"]},
                "access": {
                    "writer": {"output": "file", "filename": str(logs / "access.log")},
                    "encoder": {"format": "json"},
                    "include": ["http.log.access"],
                },
            }
        },
        "apps": {
            "http": {
                "servers": {
                    "files": {
                        "listen": [address],
                        "logs": {},
                        "automatic_https": {"disable": True},
                        "routes": [{"handle": [{"handler": "file_server", "root": str(root / "var")}]}],
                    }
                }
            }
        },
    }
    (root / "caddy.json").write_text(json.dumps(config))
    process = subprocess.Popen(
        ["/usr/bin/caddy", "run", "--config", str(root / "caddy.json")],
        env={**os.environ, "HOME": str(root), "XDG_DATA_HOME": str(root), "XDG_CONFIG_HOME": str(root)},
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: answers(address), 60)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def test_the_logs_of_a_real_caddy(database_workshop: Workshop, demo: DemoNodes, episode: str, caddy: str) -> None:
    with connection.cursor() as cur:
        update_node(cur, demo_id("sound"), metadata={"duration_seconds": 600})
    with httpx2.Client(base_url=f"http://{caddy}") as client:

        def ask(method: str = "GET", agent: str = PLAYER, **headers: str) -> int:
            told = {"User-Agent": agent, **{name.replace("_", "-"): value for name, value in headers.items()}}
            return client.request(method, episode, headers=told).status_code

        assert ask(Range="bytes=0-1") == 206
        assert ask(Range="bytes=0-499") == 206
        assert ask(Range="bytes=200-699") == 206
        assert ask("HEAD") == 200
        assert ask(If_None_Match=client.head(episode).headers["etag"]) == 304
        assert ask(agent="Googlebot/2.1") == 200
        assert ask(agent="atc/1.0 watchOS/10.1") == 200
        logs = database_workshop.root / "logs"
        wait_until(lambda: (logs / "access.log").exists() and (logs / "access.log").read_bytes().count(b"\n") == 8, 60)
        half = stats(database_workshop, "--write").result
        assert (half["downloads"], half["requests"], half["damaged_lines"]) == (0, 8, 0)
        assert half["excluded"] == {"not_get": 2, "not_sent": 1, "probe": 1, "robot": 1, "watch_doublet": 1}
        assert ask(Range="bytes=700-") == 206
        wait_until(lambda: (logs / "access.log").read_bytes().count(b"\n") == 9, 60)
    assert stats(database_workshop, "--write").result["apps"] == {"Overcast": 1}
    assert total() == 1


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
