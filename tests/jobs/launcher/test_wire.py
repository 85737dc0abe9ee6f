"""What is said on one side is what is heard on the other."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.launcher.wire import FrameReader, Kind, Limits, Reason, Report, Request, frame

UNHURRIED = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
TEXT = st.text(st.characters(min_codepoint=1))  # lone surrogates included: undecodable bytes of a command line


@UNHURRIED
@given(
    st.lists(TEXT, min_size=1).map(tuple),
    st.dictionaries(TEXT, TEXT),
    st.none() | st.binary(),
    st.none() | st.integers(),
)
def test_a_request_survives_the_way(argv, env, stdin, limit):
    request = Request(argv=argv, env=env, stdin=stdin, limits=Limits(max_rss_mb=limit), timeout_seconds=1.5)
    heard = Request.decode(request.encode())
    assert (tuple(heard.argv), heard.env, heard.stdin, heard.limits) == (argv, env, stdin, request.limits)


@UNHURRIED
@given(st.sampled_from(Reason), TEXT, st.binary())
def test_a_report_survives_the_way(reason, error, stdout):
    report = Report(reason=reason, error=error, stdout=stdout, exit_code=3, cpu_seconds=0.25)
    assert Report.decode(report.encode(), stdout) == report


@UNHURRIED
@given(st.lists(st.tuples(st.sampled_from(Kind), st.binary(max_size=300))), st.integers(1, 50))
def test_frames_are_cut_right_however_the_bytes_arrive(frames, step):
    stream = b"".join(frame(kind, payload) for kind, payload in frames)
    reader = FrameReader()
    heard = [one for start in range(0, len(stream), step) for one in reader.feed(stream[start : start + step])]
    assert heard == frames
    assert not reader.partial
