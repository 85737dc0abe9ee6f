from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from synops.demo.data import DURATION_SECONDS, DemoNodes
from synops.tools.waveform import svg
from tests.tools.conftest import Workshop, rows, running_job
from tests.tools.test_audio import add_recording, tone


def test_peaks_of_a_known_sound(database_workshop: Workshop, demo: DemoNodes) -> None:
    """Half a second of silence, one of a tone at a quarter of full scale, half a second at three quarters, and a bit."""
    digest = add_recording(database_workshop, tone(database_workshop.root / "t.wav", (0.5, 0), (1, 0.25), (0.52, 0.75)))
    flags = (f"--cas-hash={digest}", "--pixels-per-second=10")
    result = database_workshop.run("synops-waveform", *flags).result
    peaks = result["peaks"]
    assert (peaks["version"], peaks["bits"], peaks["channels"]) == (2, 8, 1)
    assert (peaks["sample_rate"], peaks["samples_per_pixel"], peaks["length"]) == (16000, 1600, 21)
    low, high = peaks["data"][::2], peaks["data"][1::2]
    assert (low[:5], high[:5]) == ([0] * 5, [0] * 5)
    assert (set(low[6:14]), set(high[6:14])) == ({-32}, {32})
    assert (set(low[16:20]), set(high[16:20])) == ({-96}, {95})
    assert (result["json_hash"], result["svg_hash"]) == (None, None)


def test_the_files_are_named_by_the_recording(database_workshop: Workshop, demo: DemoNodes) -> None:
    job = running_job(demo.collection, "generate_waveform")
    result = database_workshop.run("synops-waveform", f"--cas-hash={demo.cas_hash}", "--write", **job).result
    [(waveform, cas_hash)] = rows(
        "SELECT metadata->>'waveform', metadata->>'cas_hash' FROM nodes WHERE id = %s", demo.media
    )
    assert json.loads(waveform) == {key: result[key] for key in ("json_hash", "svg_hash")}
    assert cas_hash == demo.cas_hash
    peaks = json.loads(database_workshop.store.path(result["json_hash"]).read_text())
    assert peaks["length"] == result["length"] == len(peaks["data"]) // 2
    assert result["duration_seconds"] == pytest.approx(DURATION_SECONDS, abs=0.1)
    picture = ET.fromstring(database_workshop.store.path(result["svg_hash"]).read_text())
    assert picture.get("viewBox") == f"0 0 {result['length']} 100"


def test_what_is_no_sound_is_a_permanent_failure(database_workshop: Workshop, demo: DemoNodes) -> None:
    done = database_workshop.run("synops-waveform", f"--cas-hash={add_recording(database_workshop, b'text' * 99)}")
    assert (done.code, "Traceback" in done.stderr) == (65, False)


def test_a_picture_has_a_bounded_number_of_bars() -> None:
    picture = svg([-128, 127] * 100_000)
    assert picture.count("M") == 800
    assert "V100.0" in picture
    assert len(svg([])) < 200
