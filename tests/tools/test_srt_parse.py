from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synops.demo.data import DemoNodes
from synops.tools.subtitle_file import LARGEST
from tests.tools.conftest import Workshop, rows, running_job

SRT = "1\n00:00:01,000 --> 00:00:02,500\nVelkommen til Ærlig talt.\n\n2\n00:00:03,000 --> 00:00:04,000\n<i>Hei på deg!</i>\n"


def segments() -> list[tuple[Any, ...]]:
    return rows("SELECT start_ms, end_ms, content FROM transcription_segments ORDER BY seq")


def test_a_stored_subtitle_file_becomes_the_transcript(database_workshop: Workshop, demo: DemoNodes) -> None:
    srt = database_workshop.store.put_bytes(SRT.encode()).digest
    flags = (f"--cas-hash={demo.cas_hash}", f"--srt-hash={srt}", "--source=srt", "--write")
    result = database_workshop.run("synops-transcribe", *flags, **running_job(demo.collection, "srt_parse")).result
    assert segments() == [(1000, 2500, "Velkommen til Ærlig talt."), (3000, 4000, "Hei på deg!")]
    assert (result["engine"], result["model"], result["quality"], result["segment_count"]) == (
        "srt",
        None,
        "standard",
        2,
    )
    [(metadata,)] = rows("SELECT metadata::text FROM nodes WHERE id = %s", demo.media)
    stored = json.loads(metadata)
    assert stored["transcript"]["srt_hash"] == result["srt_hash"]
    again = database_workshop.run("synops-transcribe", *flags, **running_job(demo.collection, "srt_parse")).result
    assert again == result
    assert len(segments()) == 2


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (SRT.encode("cp1252"), 0, "Ærlig"),
        (SRT.encode("utf-16"), 0, "Ærlig"),
        (b"\xef\xbb\xbf" + SRT.replace("\n", "\r\n").encode(), 0, "Ærlig"),
        (b"", 65, "holds no subtitles"),
        (b"  \n\n", 65, "holds no subtitles"),
        (b"just some prose\n" * 50, 65, "no line looks like 00:00:01,000 --> 00:00:02,000"),
        (b"\x7fELF\0\0\0" * 100, 65, "binary data"),
        (b"x" * (LARGEST + 1), 65, "more than 10 MB"),
        (None, 66, "can't be read: No such file"),
    ],
)
def test_subtitle_files_of_all_sorts(
    database_workshop: Workshop, demo: DemoNodes, tmp_path: Path, data: bytes | None, code: int, said: str
) -> None:
    path = tmp_path / "tekst.srt"
    if data is not None:
        path.write_bytes(data)
    done = database_workshop.run("synops-transcribe", f"--cas-hash={demo.cas_hash}", f"--from-srt={path}")
    assert done.code == code
    assert said in done.stdout + done.stderr


def test_calls_that_can_not_work(database_workshop: Workshop, demo: DemoNodes) -> None:
    flags = (f"--cas-hash={demo.cas_hash}", "--source=srt")
    assert database_workshop.run("synops-transcribe", *flags).code == 64
    assert database_workshop.run("synops-transcribe", *flags, f"--srt-hash={'0' * 64}").code == 66
    # A path on the worker's machine is for a person at a shell, never for a job.
    job = running_job(demo.collection, "srt_parse")
    refused = database_workshop.run("synops-transcribe", *flags, "--from-srt=/etc/passwd", **job)
    assert (refused.code, "by hand only" in refused.stderr) == (64, True)
