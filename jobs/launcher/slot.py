"""A slot: runs one job at a time for the worker, and dies, with all it started, when worker or launcher does."""

from __future__ import annotations

import gc
import signal

from jobs.launcher import linux
from jobs.launcher.channel import Channel, Lifeline, wait
from jobs.launcher.preload import Template
from jobs.launcher.run import Run
from jobs.launcher.wire import Kind, Report, Request


def prepare(index: int) -> None:
    """Make this freshly forked process fit to be a slot."""
    linux.become_subreaper()
    # Should somebody have stopped us, the launcher's death wakes us up to see the end of its lifeline.
    linux.signal_at_parents_death(signal.SIGCONT)
    linux.name_process(f"synops-slot-{index}")
    gc.freeze()  # a collection would touch, and so copy, every page that we share with the launcher


class Slot:
    """The loop of one slot process. After `recycle_after` runs it asks the launcher for a fresh template."""

    def __init__(self, channel: Channel, lifeline: Lifeline, template: Template, recycle_after: int) -> None:
        self._channel = channel
        self._lifeline = lifeline
        self._template = template
        self._runs_left = recycle_after

    def serve(self) -> None:
        """Run what the worker asks for; return when the worker or the launcher is gone, or when told to retire."""
        while not (self._channel.gone or self._lifeline.gone):
            wait(self._channel, self._lifeline, (), None)
            for kind, payload in self._channel.receive():
                if kind is Kind.RUN:  # a CANCEL here came too late: its run is over
                    self._run(Request.decode(payload))
            if self._lifeline.retire and not self._channel.amid_frame:
                return

    def _run(self, request: Request) -> None:
        self._channel.send(Kind.ACCEPTED)  # from here on the worker must not send this request to another slot
        report = Run(request, self._channel, self._lifeline).execute(self._template.main_for(request))
        self._send(report)
        self._runs_left -= 1
        if self._runs_left == 0 or self._template.used_when_stale:
            self._lifeline.ask_for_reload()
        if report.survivors:  # they are the launcher's now; the next run must not be blamed for them
            self._lifeline.retire = True

    def _send(self, report: Report) -> None:
        self._channel.send(Kind.REPORT, report.encode())
        while self._channel.congested and not self._lifeline.gone:
            wait(self._channel, self._lifeline, (), None)
