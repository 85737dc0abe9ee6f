"""Sound through FFmpeg's filters, by PyAV: decode, filter, measure loudness, encode. Streams; a file is never held in memory.

PyAV carries the same libraries as the ffmpeg program, so there is one engine, and what it does does not depend on what
happens to be on PATH. Loudness is made in two passes with one gain and a limiter, and measured again on the finished
file: FFmpeg's own loudnorm changes the gain over time, and missed -16 LUFS by 1 to 2 on speech with loud peaks.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from synops.tools.failures import BadInput

Filter = tuple[str, str]
"""A filter of FFmpeg and its options."""

SILENT_LUFS = -60.0
PEAK_CEILING = 0.84  # -1.5 dB, which leaves room for what lossy coding adds to peaks
MAX_RATE = 48_000


class Loudness(NamedTuple):
    """Integrated loudness in LUFS (EBU R 128) and true peak in dBTP; None for silence."""

    lufs: float | None
    peak: float | None


class Format(NamedTuple):
    """How a kind of file is written. Rates are in bits a second for one channel; 0 = the codec needs none."""

    container: str
    codec: str
    media_type: str
    sample_format: str
    bit_rate: int
    rate: int | None = None


FORMATS = {
    "mp3": Format("mp3", "libmp3lame", "audio/mpeg", "s16p", 64_000),
    "wav": Format("wav", "pcm_s16le", "audio/wav", "s16", 0),
    "flac": Format("flac", "flac", "audio/flac", "s16", 0),
    "opus": Format("ogg", "libopus", "audio/ogg", "flt", 48_000, 48_000),
}


class Chapter(NamedTuple):
    """A mark in a file: where it begins, in seconds, and its title."""

    start: float
    title: str


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The file as a container with sound in it. Raises BadInput for anything else, also while it is read."""
    import av

    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise BadInput("the file has no sound")
            yield container
    except av.error.FFmpegError as error:
        raise BadInput(f"the file is no sound that can be read: {error.args[-1] if error.args else error}") from error


def decoded(path: Path) -> Iterator[Any]:
    """The sound of a file as frames of floats, in one or two channels and at its own rate, at most 48 kHz.

    A damaged packet is passed over, as players do. A file without a single good one raises BadInput.
    """
    import av

    good = False
    with opened(path) as container:
        stream = container.streams.audio[0]
        shape: Any = None
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except av.error.InvalidDataError:
                continue
            for frame in frames:
                good = True
                shape = shape or av.AudioResampler("fltp", layout_of(stream), min(frame.sample_rate, MAX_RATE))
                yield from shape.resample(frame)
        if not good:
            raise BadInput("the file holds no sound that can be decoded")
        yield from shape.resample(None)


def expected_seconds(path: Path) -> float:
    """How long the file says it is, for showing progress only: headers lie, and some say nothing (then 0)."""
    with opened(path) as container:
        return (container.duration or 0) / 1_000_000


def layout_of(stream: Any) -> str:
    """Mono stays mono; everything else becomes stereo."""
    return "mono" if stream.channels == 1 else "stereo"


def filtered(path: Path, filters: Sequence[Filter], heard: Callable[[float], None]) -> Iterator[Any]:
    """The sound of a file after `filters`, frame by frame; `heard(seconds)` follows what has been read."""
    import av

    graph: Any = None
    for frame in decoded(path):
        graph = graph or _graph(frame, filters)
        graph.push(frame)
        heard(float(frame.time or 0))
        yield from _ready(graph)
    if graph:
        with contextlib.suppress(av.error.EOFError):
            graph.push(None)
        yield from _ready(graph)


def levelling(gain: float) -> list[Filter]:
    """One gain, in dB, for the whole recording, and a limiter for the peaks that it lifts too high."""
    return [("volume", f"{gain:.2f}dB"), ("alimiter", f"limit={PEAK_CEILING}:level=0")]


def measure(path: Path, filters: Sequence[Filter], heard: Callable[[float], None]) -> Loudness:
    """The loudness of a file after `filters`."""
    last: dict[str, str] = {}
    for frame in filtered(path, [*filters, ("ebur128", "metadata=1:peak=true")], heard):
        last = dict(frame.metadata) or last  # the frame that flushes the filter carries none
    lufs = float(last.get("lavfi.r128.I", "-inf"))
    if lufs < SILENT_LUFS:
        return Loudness(None, None)
    return Loudness(lufs, 20 * math.log10(float(last["lavfi.r128.true_peak"])))


def encode(
    path: Path,
    target: Path,
    kind: Format,
    filters: Sequence[Filter],
    chapters: Sequence[Chapter],
    heard: Callable[[float], None],
) -> float:
    """Write the sound of `path` after `filters` to `target`; returns its length in seconds."""
    import av

    with opened(path) as source:
        stream = source.streams.audio[0]
        rate, layout = kind.rate or min(stream.rate, MAX_RATE), layout_of(stream)
    samples = 0
    with av.open(str(target), "w", format=kind.container) as out:
        track: Any = out.add_stream(kind.codec, rate=rate, layout=layout)
        if kind.bit_rate:
            track.bit_rate = kind.bit_rate * (1 if layout == "mono" else 2)
        if chapters:
            out.set_chapters(_marks(chapters))
        out.start_encoding()
        shape = av.AudioResampler(kind.sample_format, layout, rate, frame_size=track.codec_context.frame_size or None)
        for frame in itertools.chain(filtered(path, filters, heard), [None]):
            for piece in shape.resample(frame):
                # Counted and not copied: where silence was cut out, the filters leave gaps in the times.
                piece.pts, piece.time_base = samples, Fraction(1, rate)
                samples += piece.samples
                out.mux(track.encode(piece))
        out.mux(track.encode(None))
    return samples / rate


def _graph(frame: Any, filters: Sequence[Filter]) -> Any:
    import av

    graph = av.filter.Graph()
    last = graph.add_abuffer(
        sample_rate=frame.sample_rate, format=frame.format.name, layout=frame.layout.name, time_base=frame.time_base
    )
    for name, options in (*filters, ("abuffersink", "")):
        node = graph.add(name, options) if options else graph.add(name)
        last.link_to(node)
        last = node
    graph.configure()
    return graph


def _ready(graph: Any) -> Iterator[Any]:
    import av

    with contextlib.suppress(av.error.BlockingIOError, av.error.EOFError):
        while True:
            yield graph.pull()


def _marks(chapters: Sequence[Chapter]) -> list[Any]:
    # An end is required by the format; players show starts, so each ends where the next begins.
    starts = [round(chapter.start * 1000) for chapter in chapters]
    ends = [*starts[1:], starts[-1] + 1]
    return [
        {"id": number, "start": start, "end": end, "time_base": Fraction(1, 1000), "metadata": {"title": chapter.title}}
        for number, (start, end, chapter) in enumerate(zip(starts, ends, chapters, strict=True))
    ]
