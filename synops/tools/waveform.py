"""synops-waveform: the outline of a recording, as peaks for a player and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from pathlib import Path

    from synops.tools.call import Call
    from synops.tools.recording import Recording

# A picture has at most this many bars, whatever the recording's length.
SVG_BARS = 800
SVG_HEIGHT = 100

DESCRIPTION = Description(
    name="synops-waveform",
    version="0.1.0",
    description={
        "nb": "Tegner bølgeformen til en lydfil: topper som JSON for avspillere, og en SVG.",
        "en": "Draws the waveform of a sound file: peaks as JSON for players, and an SVG.",
    },
    job_types=("generate_waveform",),
    aliases={
        "nb": ("lag bølgeform", "generer bølgeform", "tegn bølgeform"),
        "nn": ("lag bølgjeform", "teikn bølgjeform"),
        "en": ("make waveform", "draw the waveform"),
    },
    params=(
        Param(
            name="cas_hash",
            type="hash",
            required=True,
            bind=("event.cas_hash",),
            hints={
                "nb": ("lydfil", "lyd", "opptak", "innspilling", "episode"),
                "nn": ("lydfil", "lyd", "opptak", "innspeling", "episode"),
                "en": ("the audio file", "the recording", "the episode"),
            },
            description={"nb": "Lydfilens sha256 i fillageret.", "en": "The sound file's sha256 in the file store."},
        ),
        Param(
            name="pixels_per_second",
            type="integer",
            default=20,
            minimum=1,
            maximum=200,
            description={"nb": "Antall topper for hvert sekund.", "en": "How many peaks for each second."},
        ),
    ),
    outputs={
        "json_hash": "hash",
        "svg_hash": "hash",
        "length": "integer",
        "duration_seconds": "number",
        "media_node_ids": "list",
    },
    weight=2,
    database="write",
    settings=("STORE_DIR", "SYNOPS_VAR"),
    exit_codes="sysexits",
    examples=(
        "synops-waveform --cas-hash=9f86d0… --write",
        "synops-waveform --cas-hash=9f86d0… --pixels-per-second=5 | jq .peaks.data",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """Without `--write` the peaks are in the result; with it they are two files that the media node names."""
    from synops.tools.database import reading
    from synops.tools.recording import find_recording, stored_file

    source = stored_file(call)
    with reading(call) as cur:
        recording = find_recording(call, cur)
    peaks = _peaks(call, source)
    result = {
        "engine": "pyav",
        "length": peaks["length"],
        "duration_seconds": round(peaks["length"] * peaks["samples_per_pixel"] / peaks["sample_rate"], 3),
        "media_node_ids": [str(node) for node in recording.media],
    }
    if not call.write:
        return {**result, "peaks": peaks, "json_hash": None, "svg_hash": None}
    return {**result, **_store(call, peaks, recording)}


def _peaks(call: Call, source: Path) -> dict[str, Any]:
    """The format of audiowaveform, version 2: for each pixel the lowest and the highest sample, in 8 bits."""
    import numpy as np

    from synops.tools.sound import expected_seconds

    length = expected_seconds(source) or 3600.0
    rate, data, rest, told = 0, [], np.empty(0, np.int16), 0
    for rate, samples in _samples(source):
        per_pixel = rate // call.payload["pixels_per_second"]
        rest = np.concatenate([rest, samples])
        whole = len(rest) // per_pixel
        data.append(_extremes(rest[: whole * per_pixel].reshape(whole, per_pixel)))
        rest = rest[whole * per_pixel :]
        done = min(99, int(100 * sum(map(len, data)) / 2 / call.payload["pixels_per_second"] / length))
        if done > told:
            told = done
            call.progress(done / 100, "reading the sound")
    if len(rest):
        data.append(_extremes(rest.reshape(1, -1)))
    flat = np.concatenate(data).tolist()
    return {
        "version": 2,
        "channels": 1,
        "sample_rate": rate,
        "samples_per_pixel": rate // call.payload["pixels_per_second"],
        "bits": 8,
        "length": len(flat) // 2,
        "data": flat,
    }


def _samples(source: Path) -> Iterator[tuple[int, Any]]:
    """The sound as mono 16-bit samples, in blocks of about ten seconds: one call for each tiny frame costs more."""
    import av
    import numpy as np

    from synops.tools.sound import decoded

    resampler: Any = None
    blocks: list[Any] = []
    for frame in decoded(source):
        resampler = resampler or av.AudioResampler("s16", "mono", frame.sample_rate)
        blocks += [piece.to_ndarray().reshape(-1) for piece in resampler.resample(frame)]
        if sum(map(len, blocks)) > 10 * frame.sample_rate:
            yield frame.sample_rate, np.concatenate(blocks)
            blocks = []
    blocks += [piece.to_ndarray().reshape(-1) for piece in resampler.resample(None)]
    yield resampler.rate, np.concatenate(blocks) if blocks else np.empty(0, np.int16)


def _extremes(pixels: Any) -> Any:
    import numpy as np

    if not len(pixels):
        return np.empty(0, np.int16)
    return np.stack([pixels.min(axis=1) >> 8, pixels.max(axis=1) >> 8], axis=1).reshape(-1)


def svg(data: Sequence[int]) -> str:
    """The peaks as one path in the colour of the text around it, at most 800 bars wide."""
    pairs = list(zip(data[::2], data[1::2], strict=True))
    step = max(1, -(-len(pairs) // SVG_BARS))
    bars = [
        (min(low for low, _ in group), max(high for _, high in group))
        for group in (pairs[at : at + step] for at in range(0, len(pairs), step))
    ]
    middle = SVG_HEIGHT / 2
    lines = "".join(
        f"M{at}.5 {middle - high / 128 * middle:.1f}V{middle - low / 128 * middle:.1f}"
        for at, (low, high) in enumerate(bars)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(1, len(bars))} {SVG_HEIGHT}" '
        f'preserveAspectRatio="none" role="img"><path d="{lines}" stroke="currentColor" fill="none"/></svg>\n'
    )


def _store(call: Call, peaks: dict[str, Any], recording: Recording) -> dict[str, str]:
    import json

    from synops.store.nodes import update_node
    from synops.tools.database import writing

    hashes = {
        "json_hash": call.store.put_bytes(json.dumps(peaks, separators=(",", ":")).encode()).digest,
        "svg_hash": call.store.put_bytes(svg(peaks["data"]).encode()).digest,
    }
    with writing(call) as cur:
        for media in recording.media:
            update_node(cur, media, metadata={"waveform": hashes})
    return hashes


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
