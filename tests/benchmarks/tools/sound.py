"""The tools that hear and speak."""

from __future__ import annotations

import re
from collections.abc import Iterator

import jiwer

from synops.demo.data import REFERENCE
from tests.benchmarks.tools.workplace import Row, Workplace

ENGLISH = (
    "The city council met on Tuesday evening to discuss the new library. The building will open in September. "
    "The mayor thanked everyone who had worked on the project for so many years."
)


def sound(place: Workplace) -> Iterator[Row]:
    file = f"--cas-hash={place.demo.cas_hash}"
    heard = place.run("synops-transcribe", file, "--write")
    [(said,)] = place.rows("SELECT string_agg(content, ' ' ORDER BY seq) FROM transcription_segments")
    wrong = jiwer.wer(words(REFERENCE.read_text()), words(said))
    yield Row("synops-transcribe", "27 s of English, the built-in model", heard, f"word error rate {wrong:.3f}")
    yield _spoken(place)
    clean = place.run("synops-audio", file, "--preset=podcast", "--write")
    loudness = clean.result["loudness"]
    aimed = f"aimed at {loudness['target']:g}, measured {loudness['after']:.1f} LUFS"
    yield Row("synops-audio", "27 s, podcast preset", clean, aimed)
    drawn = place.run("synops-waveform", file, "--write")
    yield Row("synops-waveform", "27 s, 20 points a second", drawn, f"{drawn.result['length']} points")
    summed = place.run("synops-checksum", file)
    right = "the file's digest" if summed.result["digest"] == place.demo.cas_hash else "another digest"
    yield Row("synops-checksum", "210 kB", summed, right)


def _spoken(place: Workplace) -> Row:
    """A voice is as good as it is understood."""
    text = place.add("english", ENGLISH, "content")
    spoken = place.run("synops-tts", f"--node-id={text}", "--language=en", "--write")
    back = place.run("synops-transcribe", f"--cas-hash={spoken.result['cas_hash']}", "--language=en", "--model=base")
    again = " ".join(one["text"] for one in back.result["segments"])
    wrong = jiwer.wer(words(f"english {ENGLISH}"), words(again))
    what = f"{spoken.result['duration_seconds']:.0f} s of English, eSpeak NG"
    return Row("synops-tts", what, spoken, f"heard again with a word error rate of {wrong:.3f}")


def words(text: str) -> str:
    """Spelling variants that are no errors of hearing: Mr. and mister, hyphens, capitals."""
    return " ".join(re.findall(r"[a-z]+", text.lower().replace("mr.", "mister")))
