"""One run of one program, from its start until no process of it is left."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import time

from jobs.launcher import descendants, verdict
from jobs.launcher.channel import Channel, Lifeline, wait
from jobs.launcher.explain import StartFailed, explain
from jobs.launcher.output import Output
from jobs.launcher.scratch import scratch
from jobs.launcher.start import Main, start
from jobs.launcher.sweep import Reaper
from jobs.launcher.wire import Kind, Reason, Report, Request

_TICK_SECONDS = 0.5


class Run:
    """Starts the program, waits for its end, a timeout, a cancel or the worker's death, and then kills what is left."""

    def __init__(self, request: Request, channel: Channel, lifeline: Lifeline) -> None:
        self._request = request
        self._channel = channel
        self._lifeline = lifeline
        self._reaper = Reaper()
        self._oom_kills: int | None = None
        self._stopped_for: Reason | None = None
        self._ended_alone = False
        self._peak_kb = 0
        now = time.monotonic()
        self._tick_at = now + _TICK_SECONDS
        self._stop_at = math.inf if request.timeout_seconds is None else now + request.timeout_seconds
        self._kill_at = math.inf

    @property
    def abandoned(self) -> bool:
        """Whether worker or launcher is gone: then everything must die."""
        return self._channel.gone or self._lifeline.gone

    def execute(self, main: Main | None) -> Report:
        """Run the program to its end; afterwards no process of it, no descriptor and no file of ours is left."""
        started = time.monotonic()
        try:
            with scratch(self._request), contextlib.closing(Output(self._channel)) as output:
                pid = self._start(output, main)
                self._watch(pid, output)
                survivors = self._reaper.sweep()
                output.drain(self._lifeline)
        except StartFailed as error:
            return Report(reason=Reason.START_FAILED, error=str(error), started=started, finished=time.monotonic())
        return self._report(pid, output, survivors, started, preloaded=main is not None)

    def _start(self, output: Output, main: Main | None) -> int:
        try:
            return output.hand_over(lambda stdout, stderr: start(self._request, stdout, stderr, main))
        except OSError as error:
            raise StartFailed(explain(self._request, "resources", error)) from error

    def _watch(self, pid: int, output: Output) -> None:
        """Until the program has ended, must be killed, or nobody is left to want it."""
        death = os.pidfd_open(pid)
        try:
            while not (self._ended_alone or self.abandoned or time.monotonic() >= self._kill_at):
                until = min(self._stop_at, self._tick_at, self._kill_at)
                ready = wait(self._channel, self._lifeline, [death, *output.sources()], until - time.monotonic())
                output.read(ready)
                self._ended_alone = death in ready
                if not self._ended_alone:  # else no clock and no cancel counts any more, however late we noticed
                    self._obey(ready)
                    self._look_at_clock(pid)
        finally:
            os.close(death)
        if self.abandoned and not self._ended_alone:
            self._stopped_for = self._stopped_for or Reason.LOST

    def _obey(self, ready: set[int]) -> None:
        if self._channel.fileno() not in ready:
            return
        for kind, payload in self._channel.receive():
            if kind is Kind.CANCEL:
                grace = json.loads(payload)
                self._stop(Reason.CANCELLED, self._request.grace_seconds if grace is None else grace)

    def _look_at_clock(self, pid: int) -> None:
        now = time.monotonic()
        if now >= self._stop_at:
            self._stop_at = math.inf
            self._stop(Reason.TIMED_OUT, self._request.grace_seconds)
        if now >= self._tick_at:
            self._tick_at = now + _TICK_SECONDS
            self._reaper.reap_strays(pid)
            self._weigh()
            if self._oom_kills is None:  # not at the start: a run that is over by now had no time to fill the memory
                self._oom_kills = verdict.oom_kills()

    def _stop(self, reason: Reason, grace_seconds: float) -> None:
        """Ask every process of the run to end, and set the time of the kill. The first reason counts, and the earliest
        kill: a second, impatient cancel shortens the wait."""
        if self._stopped_for is None:
            self._stopped_for = reason
            for process in descendants.descendants(os.getpid()):
                descendants.send(process, signal.SIGTERM)
                descendants.send(process, signal.SIGCONT)  # one that is stopped could not hear the TERM
        self._kill_at = min(self._kill_at, time.monotonic() + grace_seconds)

    def _weigh(self) -> None:
        """Sample the memory of the tree. No grace when it is too much: a process that eats memory would eat on."""
        limit_mb = self._request.limits.max_rss_mb
        if limit_mb is None:
            return
        tree = descendants.descendants(os.getpid())
        held = descendants.resident_kb(tree)
        if held > limit_mb * 1024:  # perhaps only by counting shared pages twice: look closer before the verdict
            held = descendants.proportional_kb(tree)
        self._peak_kb = max(self._peak_kb, held)
        if held > limit_mb * 1024:
            self._stopped_for = self._stopped_for or Reason.MEMORY_EXCEEDED
            self._kill_at = 0.0

    def _report(self, pid: int, output: Output, survivors: int, started: float, *, preloaded: bool) -> Report:
        reaper = self._reaper
        ending = verdict.Ending(
            status=reaper.statuses.get(pid),
            stopped_for=self._stopped_for,
            killed_by_us=not self._ended_alone,
            oom_kills=0 if self._oom_kills is None else verdict.oom_kills() - self._oom_kills,
            survivors=survivors,
            peak_kb=self._peak_kb,
            cpu_seconds=reaper.cpu_seconds,
        )
        return Report(
            reason=ending.reason(self._request.limits),
            exit_code=ending.exit_code,
            signal=ending.signal,
            killed=reaper.killed,
            survivors=survivors,
            stdout_bytes=output.counts[Kind.STDOUT],
            stderr_bytes=output.counts[Kind.STDERR],
            started=started,
            finished=time.monotonic(),
            cpu_seconds=round(reaper.cpu_seconds, 6),
            max_rss_kb=max(reaper.max_rss_kb, self._peak_kb),
            pid=pid,
            preloaded=preloaded,
            out_of_memory=ending.out_of_memory(self._request.limits),
            error=ending.sentence(self._request),
        )
