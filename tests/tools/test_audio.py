from __future__ import annotations

import json
import math
import struct
import wave
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from django.db import connection

from synops.demo.data import DURATION_SECONDS, DemoNodes, demo_id
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from tests.tools.conftest import Workshop, rows, running_job

RATE = 16000
# Frequency, quality and gain in dB of the shelf and the high pass that BS.1770 gives as coefficients for 48 kHz.
K_WEIGHTING = (
    (1681.974450955533, 0.7071752369554196, 3.999843853973347),
    (38.13547087602444, 0.5003270373238773, None),
)


def tone(path: Path, *parts: tuple[float, float], channels: int = 1) -> bytes:
    """A 440 Hz tone in parts of (seconds, amplitude), after which nothing is left to chance."""
    samples = [
        struct.pack("<h", round(32767 * level * math.sin(2 * math.pi * 440 * at / RATE))) * channels
        for seconds, level in parts
        for at in range(int(seconds * RATE))
    ]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(samples))
    return path.read_bytes()


def add_recording(workshop: Workshop, data: bytes) -> str:
    digest = workshop.store.put_bytes(data).digest
    media = demo_id(f"media {digest}")
    with connection.cursor() as cur:
        insert_node(cur, Node(media, "media", "opptak", "", {"cas_hash": digest, "mime": "audio/wav"}))
        insert_edge(cur, Edge(media, "belongs_to", demo_id("collection")))
    return digest


@pytest.fixture
def short(database_workshop: Workshop, demo: DemoNodes) -> str:
    """A recording of two seconds, for what does not depend on what is said."""
    return add_recording(database_workshop, tone(database_workshop.root / "short.wav", (2, 0.2)))


def clean(workshop: Workshop, digest: str, *flags: str) -> dict[str, Any]:
    job = running_job(demo_id("collection"), "audio_process")
    result: dict[str, Any] = workshop.run("synops-audio", f"--cas-hash={digest}", "--write", *flags, **job).result
    return result


@pytest.mark.parametrize(
    ("kind", "mime", "codec"),
    [
        ("mp3", "audio/mpeg", "mp3float"),
        ("wav", "audio/wav", "pcm_s16le"),
        ("flac", "audio/flac", "flac"),
        ("opus", "audio/ogg", "opus"),
    ],
)
def test_speech_gets_the_loudness_asked_for_in_every_format(
    database_workshop: Workshop, demo: DemoNodes, kind: str, mime: str, codec: str
) -> None:
    result = clean(database_workshop, demo.cas_hash, f"--format={kind}", "--preset=podcast")
    made = database_workshop.store.path(result["cas_hash"])
    with av.open(str(made)) as container:
        assert container.streams.audio[0].codec_context.name.startswith(codec)
        assert container.streams.audio[0].channels == 1
    assert (result["mime"], result["size"]) == (mime, made.stat().st_size)
    assert result["duration_seconds"] == pytest.approx(DURATION_SECONDS, abs=0.1)
    assert result["loudness"]["target"] == -16
    assert result["loudness"]["after"] == pytest.approx(-16, abs=0.8)
    assert result["loudness"]["true_peak"] < -0.5


def loudness(path: Path) -> float:
    """Integrated loudness of a mono WAV by ITU-R BS.1770-4, written from its text and not from FFmpeg's code."""
    with wave.open(str(path)) as file:
        rate = file.getframerate()
        sound = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
    padded = 1 << (len(sound) + rate).bit_length()
    z = np.exp(-2j * np.pi * np.arange(padded // 2 + 1) / padded)
    weight = np.ones_like(z)
    # The two filters of the K weighting as analogue prototypes, brought to this sampling rate.
    for frequency, quality, gain in K_WEIGHTING:
        k = np.tan(np.pi * frequency / rate)
        low = 1 + k / quality + k * k
        poles = (low + 2 * (k * k - 1) * z + (1 - k / quality + k * k) * z * z) / low
        if gain is None:
            weight *= (1 - 2 * z + z * z) / poles
            continue
        high = 10 ** (gain / 20)
        band = high**0.4996667741545416
        zeros = (
            (high + band * k / quality + k * k) + 2 * (k * k - high) * z + (high - band * k / quality + k * k) * z * z
        ) / low
        weight *= zeros / poles
    weighted = np.fft.irfft(np.fft.rfft(sound, padded) * weight)[: len(sound)]
    size = int(0.4 * rate)
    power = np.array([np.mean(weighted[at : at + size] ** 2) for at in range(0, len(sound) - size, size // 4)])
    power = power[-0.691 + 10 * np.log10(power + 1e-12) > -70]
    gate = -0.691 + 10 * np.log10(power.mean()) - 10
    return float(-0.691 + 10 * np.log10(power[-0.691 + 10 * np.log10(power) > gate].mean()))


def test_an_independent_meter_agrees(database_workshop: Workshop, demo: DemoNodes) -> None:
    result = clean(database_workshop, demo.cas_hash, "--format=wav", "--loudness=-20")
    measured = loudness(database_workshop.store.path(result["cas_hash"]))
    assert measured == pytest.approx(-20, abs=0.5)
    assert measured == pytest.approx(result["loudness"]["after"], abs=0.2)


def test_the_version_is_a_node_and_a_new_one_replaces_it(
    database_workshop: Workshop, demo: DemoNodes, short: str
) -> None:
    first = clean(database_workshop, short, "--preset=light")
    again = clean(database_workshop, short, "--preset=light")
    other = clean(database_workshop, short, "--preset=music")
    assert first == again
    assert other["cas_hash"] != first["cas_hash"]
    [(key, kind, title, metadata, edges)] = rows(
        """SELECT n.id, n.node_kind, n.title, n.metadata,
                  array(SELECT e.edge_type || ' ' || e.target_id FROM edges e WHERE e.source_id = n.id ORDER BY 1)
           FROM nodes n JOIN edges d ON d.source_id = n.id AND d.edge_type = 'derived_from'"""
    )
    assert (str(key), kind, title) == (other["media_node_id"], "media", "opptak")
    assert json.loads(metadata)["cas_hash"] == other["cas_hash"]
    assert json.loads(metadata)["made_with"] == {"preset": "music", "trim": None, "format": "mp3"}
    assert edges == [f"belongs_to {demo.collection}", f"derived_from {demo_id(f'media {short}')}"]


def test_listeners_get_the_cleaned_version(database_workshop: Workshop, demo: DemoNodes) -> None:
    result = clean(database_workshop, demo.cas_hash, "--preset=light")
    job = running_job(demo.collection, "rss")
    feed = database_workshop.run("synops-rss", f"--collection-id={demo.collection}", **job).result["feed"]
    assert f"episodes/{result['cas_hash']}.mp3" in feed
    assert f'length="{result["size"]}"' in feed


def test_steps_work_on_each_others_output(database_workshop: Workshop, short: str) -> None:
    first = clean(database_workshop, short, "--format=flac", "--preset=light")
    second = clean(database_workshop, first["cas_hash"], "--format=mp3", "--preset=music")
    assert second["made_from"] == [first["media_node_id"]]


def test_silence_is_cut_at_both_ends_and_long_pauses_are_shortened(
    database_workshop: Workshop, demo: DemoNodes
) -> None:
    data = tone(database_workshop.root / "t.wav", (3, 0), (2, 0.3), (5, 0), (2, 0.3), (4, 0))
    digest = add_recording(database_workshop, data)
    whole = clean(database_workshop, digest, "--preset=light", "--format=wav")
    assert whole["duration_seconds"] == pytest.approx(16, abs=0.05)
    cut = clean(database_workshop, digest, "--preset=light", "--format=wav", "--trim")
    assert cut["duration_seconds"] == pytest.approx(0.2 + 2 + 1 + 2 + 1, abs=0.2)


def test_noise_is_reduced(database_workshop: Workshop, demo: DemoNodes) -> None:
    path = database_workshop.root / "hiss.wav"
    hiss = np.random.default_rng(1).uniform(-0.01, 0.01, 8 * RATE)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((hiss * 32767).astype(np.int16).tobytes())
    digest = add_recording(database_workshop, path.read_bytes())
    light = clean(database_workshop, digest, "--preset=light")["loudness"]["before"]
    strong = clean(database_workshop, digest, "--preset=strong")["loudness"]["before"]
    assert light == pytest.approx(-42, abs=1)
    assert strong is None or strong < light - 6


def test_silence_is_no_failure(database_workshop: Workshop, demo: DemoNodes) -> None:
    digest = add_recording(database_workshop, tone(database_workshop.root / "s.wav", (3, 0)))
    result = clean(database_workshop, digest)
    assert result["loudness"] == {"target": -16, "before": None, "after": None, "true_peak": None}
    assert result["duration_seconds"] == pytest.approx(3, abs=0.1)


def test_many_channels_become_two(database_workshop: Workshop, demo: DemoNodes) -> None:
    data = tone(database_workshop.root / "six.wav", (1, 0.2), channels=6)
    made = clean(database_workshop, add_recording(database_workshop, data), "--format=flac")
    with av.open(str(database_workshop.store.path(made["cas_hash"]))) as container:
        assert container.streams.audio[0].channels == 2


@pytest.mark.parametrize("kind", ["mp3", "opus"])
def test_chapters_are_in_the_file(database_workshop: Workshop, demo: DemoNodes, kind: str) -> None:
    digest = add_recording(database_workshop, tone(database_workshop.root / "t.wav", (4, 0.2)))
    chapters = "0:01 Han var ikke ond\n\n0:00 Åpning\n0:00:03 Ekteskapet"
    made = clean(database_workshop, digest, f"--chapters={chapters}", f"--format={kind}", "--preset=light")
    with av.open(str(database_workshop.store.path(made["cas_hash"]))) as container:
        found = [(c["start"] * float(c["time_base"] or 0), c["metadata"]["title"]) for c in container.chapters()]
    assert found == [(0, "Åpning"), (1, "Han var ikke ond"), (3, "Ekteskapet")]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--chapters=0:00 A", "--trim"], "chapters and trim can't be had together"),
        (["--chapters=0:00 A", "--format=flac"], "flac files hold no chapters"),
        (["--chapters=intro"], '"intro" is no chapter'),
        (["--chapters=9:99 Late"], "begins after the end of the recording (2 s)"),
        (["--loudness=3"], "loudness is 3 but must be at most -8"),
        (["--format=exe"], 'format is "exe" but must be one of mp3, wav, flac, opus'),
    ],
)
def test_wrong_calls(database_workshop: Workshop, short: str, flags: list[str], said: str) -> None:
    done = database_workshop.run("synops-audio", f"--cas-hash={short}", *flags)
    assert (done.code, said in done.stderr) == (64, True), done.stderr


@pytest.mark.parametrize("data", [b"", b"text\n" * 500, b"RIFF\x24\x00\x00\x00WAVEfmt "])
def test_what_is_no_sound_is_a_permanent_failure(database_workshop: Workshop, demo: DemoNodes, data: bytes) -> None:
    done = database_workshop.run("synops-audio", f"--cas-hash={add_recording(database_workshop, data)}", "--write")
    assert (done.code, "Traceback" in done.stderr) == (65, False)


def test_without_write_nothing_is_kept(database_workshop: Workshop, short: str) -> None:
    before = sorted(path.name for path in database_workshop.store.root.rglob("*"))
    done = database_workshop.run("synops-audio", f"--cas-hash={short}", "--preset=light")
    assert (done.result["cas_hash"], done.result["media_node_id"]) == (None, None)
    assert done.result["size"] > 10_000
    assert sorted(path.name for path in database_workshop.store.root.rglob("*")) == before
    progress = [line["progress"] for line in done.told]
    assert progress == sorted(progress)
    assert len(progress) > 20


def test_a_lost_job_writes_no_node(database_workshop: Workshop, demo: DemoNodes, short: str) -> None:
    job = running_job(demo.collection, "audio_process") | {"SYNOPS_LEASE": "9"}
    done = database_workshop.run("synops-audio", f"--cas-hash={short}", "--preset=light", "--write", **job)
    assert done.code == 75
    assert rows("SELECT 1 FROM edges WHERE edge_type = 'derived_from'") == []
