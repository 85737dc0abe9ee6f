"""Speech by others: an OpenAI-compatible server that listens and speaks, and the program piper with its voices."""

from __future__ import annotations

import io
import json
import math
import struct
import wave
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.db import connection

from synops.demo.data import RECORDING, DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node, update_node
from synops.tools.voices import pieces_of
from tests.tools.conftest import Workshop, rows
from tests.tools.strange_server import StrangeServer, response, strange_server

HEARD = {
    "language": "norwegian",
    "duration": 26.7,
    "segments": [
        {"id": 1, "start": 2.5, "end": 5.25, "text": " To  ord. "},
        {"id": 0, "start": 0, "end": 2.5, "text": "Ett."},
        {"id": 2, "start": 9, "end": 8, "text": " "},
    ],
}


def tone(seconds: float = 0.5) -> bytes:
    """A WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(24_000)
        samples = (int(9000 * math.sin(at / 12)) for at in range(int(24_000 * seconds)))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return out.getvalue()


@pytest.fixture
def server() -> Iterator[StrangeServer]:
    with strange_server() as server:
        server.answers["/v1/audio/transcriptions"] = response(json.dumps(HEARD).encode(), kind="application/json")
        server.answers["/v1/audio/speech"] = response(tone(), kind="audio/wav")
        yield server


def settings(server: StrangeServer) -> dict[str, str]:
    return {
        "SYNOPS_SPEECH_BASE_URL": server.url("/v1"),
        "SYNOPS_SPEECH_API_KEY": "hemmelig",
        "SYNOPS_SPEECH_MODEL": "lytt-1",
        "SYNOPS_SPEECH_VOICE_MODEL": "tal-1",
    }


def add_text(content: str, **metadata: str) -> UUID:
    with connection.cursor() as cur:
        insert_node(cur, Node(demo_id("text"), "content", "Tittel", content, metadata))
        insert_edge(cur, Edge(demo_id("text"), "belongs_to", demo_id("collection")))
    return demo_id("text")


def test_a_server_transcribes_where_one_is_configured(
    database_workshop: Workshop, demo: DemoNodes, server: StrangeServer
) -> None:
    with connection.cursor() as cur:
        update_node(cur, demo.collection, metadata={"language": "nn", "names": ["Dashwood", "Norland"]})
    flags = (f"--cas-hash={demo.cas_hash}", "--write")
    result = database_workshop.run("synops-transcribe", *flags, **settings(server)).result
    assert (result["engine"], result["model"], result["quality"]) == ("server", "lytt-1", "standard")
    assert (result["language"], result["duration_seconds"], result["segment_count"]) == ("nn", 26.7, 2)
    assert rows("SELECT start_ms, end_ms, content FROM transcription_segments ORDER BY seq") == [
        (0, 2500, "Ett."),
        (2500, 5250, "To ord."),
    ]
    [body] = server.bodies
    for part in (
        b'name="model"\r\n\r\nlytt-1',
        b'name="language"\r\n\r\nno',
        b"Dashwood, Norland",
        RECORDING.read_bytes(),
    ):
        assert part in body
    # A model of this machine that is named is meant, server or not.
    done = database_workshop.run("synops-transcribe", *flags, "--model=large", **settings(server))
    assert (done.code, 'model "large" not found' in done.stderr) == (78, True)
    done = database_workshop.run("synops-transcribe", *flags, "--model=server")
    assert (done.code, "SYNOPS_SPEECH_BASE_URL" in done.stderr) == (78, True)
    for answer, code, said in (
        (response(b"", "401 Unauthorized"), 78, "SYNOPS_SPEECH_API_KEY"),
        (response(b"", "503 Busy", Retry_After="0"), 75, "answered 503"),
        (response(b"<p>hei</p>"), 75, "no transcript with times"),
        (response(b'{"text": "uten tider"}'), 75, "no transcript with times"),
    ):
        server.answers["/v1/audio/transcriptions"] = answer
        # Not tried again: the pause before it would outlast the time.
        once = settings(server) | {"SYNOPS_LLM_TIMEOUT_SECONDS": "1"} if b" 200 OK" in answer else settings(server)
        done = database_workshop.run("synops-transcribe", *flags, **once)
        assert (done.code, said in done.stderr.splitlines()[-1], "hemmelig" in done.stderr) == (code, True, False)


def test_a_server_reads_aloud_where_one_is_configured(
    database_workshop: Workshop, demo: DemoNodes, server: StrangeServer
) -> None:
    node = add_text("Første setning her. " * 300, language="nn")
    flags = (f"--node-id={node}", "--voice=female", "--write")
    result = database_workshop.run("synops-tts", *flags, **settings(server)).result
    assert (result["engine"], result["voice"], result["quality"], result["language"]) == (
        "server",
        "nova",
        "standard",
        "nn",
    )
    assert result["duration_seconds"] == pytest.approx(2.5, abs=0.1)  # three pieces and two pauses
    said = [json.loads(body) for body in server.bodies]
    assert [(one["model"], one["voice"], one["response_format"]) for one in said] == [("tal-1", "nova", "wav")] * 3
    assert " ".join(" ".join(one["input"].split()) for one in said) == " ".join(
        ["Tittel", *["Første setning her."] * 300]
    )
    for answer, code, words in (
        (response(b"", "403 Forbidden"), 78, "SYNOPS_SPEECH_API_KEY"),
        (response(b"no sound"), 75, "no sound"),
    ):
        server.answers["/v1/audio/speech"] = answer
        done = database_workshop.run("synops-tts", *flags, **settings(server))
        assert (done.code, words in done.stderr.splitlines()[-1]) == (code, True)


def test_piper_reads_with_the_voices_of_this_machine(database_workshop: Workshop, demo: DemoNodes) -> None:
    folder = database_workshop.root / "voices"
    folder.mkdir()
    for name in ("no_NO-talesyntese-medium", "en_US-joe-medium", "half"):
        (folder / f"{name}.onnx").touch()
        if name != "half":
            (folder / f"{name}.onnx.json").write_text("{}")
    programs = database_workshop.root / "bin"
    programs.mkdir()
    (database_workshop.root / "tone.wav").write_bytes(tone(2))
    program = programs / "piper"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {programs}/args; cp "$6" {programs}/said; cp {database_workshop.root}/tone.wav "$8"\n'
    )
    program.chmod(0o755)
    environ = {"SYNOPS_PIPER_VOICES": str(folder), "PATH": f"{programs}:{database_workshop.environ['PATH']}"}
    node = add_text("Hei på **deg**.", language="nb")
    result = database_workshop.run("synops-tts", f"--node-id={node}", "--write", **environ).result
    assert (result["engine"], result["voice"], result["quality"]) == ("piper", "no_NO-talesyntese-medium", "standard")
    assert result["duration_seconds"] == pytest.approx(2, abs=0.1)
    assert (programs / "said").read_text() == "Tittel\nHei på deg.\n"
    named = database_workshop.run("synops-tts", f"--node-id={node}", "--voice=en_US-joe-medium", **environ).result
    assert named["voice"] == "en_US-joe-medium"
    done = database_workshop.run("synops-tts", f"--node-id={node}", "--voice=half", **environ)
    assert (done.code, "Available: neutral, female, male, en_US-joe-medium" in done.stderr) == (78, True)
    program.write_text("#!/bin/sh\necho 'bad model' >&2; exit 1\n")
    done = database_workshop.run("synops-tts", f"--node-id={node}", **environ)
    assert (done.code, "(exit 1): bad model" in done.stderr) == (78, True)
    done = database_workshop.run("synops-tts", f"--node-id={node}", **{**environ, "PATH": "/nowhere"})
    assert (done.code, "pip install piper-tts" in done.stderr) == (78, True)


def test_long_texts_are_said_in_pieces() -> None:
    assert pieces_of(["en", "to", "tre"], 8) == ["en\n\nto", "tre"]
    assert pieces_of(["En. To er lengre! Tre"], 12) == ["En.\n\nTo er", "lengre! Tre"]
    assert pieces_of(["x" * 25], 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert pieces_of([], 10) == []
