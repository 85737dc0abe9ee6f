"""Evaluates tasks in a child process: a rule that never ends is killed, one that crashes takes only itself along.

A thread can't be stopped in the middle of a C++ library, and a signal handler runs only when that returns; a process
can. The child works through the tasks and writes each verdict at once; the parent waits for the next one, no longer
than a rule may take, and starts a new child behind the one that did not end.
"""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from synops.tools.rules.tasks import Task
from synops.tools.rules.verdicts import Verdict

Judge = Callable[[Task], tuple[Verdict, str]]
CHUNK = 1 << 16


@dataclass
class Child:
    """A process that judges the tasks from `first` on, and the end of its pipe."""

    pid: int
    pipe: int
    ended: bool = False


def judge_all(tasks: Sequence[Task], make_judge: Callable[[], Judge], seconds: float) -> list[tuple[Verdict, str]]:
    """A verdict and a note for each task, in order. `seconds` is what one evaluation may take."""
    found: list[tuple[Verdict, str]] = []
    hopeless: dict[str, tuple[Verdict, str]] = {}
    while len(found) < len(tasks):
        if (verdict := hopeless.get(tasks[len(found)].rule.id)) is not None:
            found.append(verdict)  # ten thousand documents must not each cost a rule's whole time
            continue
        found += _from_child(tasks, len(found), make_judge, seconds, hopeless)
    return found


def _from_child(
    tasks: Sequence[Task],
    first: int,
    make_judge: Callable[[], Judge],
    seconds: float,
    hopeless: dict[str, tuple[Verdict, str]],
) -> list[tuple[Verdict, str]]:
    """The verdicts that one child comes to, and that of the task which ended it, if one did."""
    child = _start(tasks, first, make_judge)
    try:
        found = list(_verdicts(child, len(tasks) - first, seconds))
    finally:
        ended = _end(child)
    if first + len(found) < len(tasks):
        found.append(_why(ended, seconds))
        hopeless[tasks[first + len(found) - 1].rule.id] = found[-1]
    return found


def _start(tasks: Sequence[Task], first: int, make_judge: Callable[[], Judge]) -> Child:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, reading)
    os.close(reading)
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _work(writing, tasks[first:], make_judge())
        code = 0
    finally:
        os._exit(code)  # nothing of the parent's (buffers, handlers) may run twice


def _work(pipe: int, tasks: Sequence[Task], judge: Judge) -> None:
    with os.fdopen(pipe, "w", encoding="utf-8") as stream:
        for task in tasks:
            stream.write(json.dumps(judge(task)) + "\n")
            stream.flush()


def _verdicts(child: Child, count: int, seconds: float) -> Iterator[tuple[Verdict, str]]:
    """Until all are there, the child has died, or the next takes too long."""
    rest = b""
    while count and select.select([child.pipe], [], [], seconds)[0]:
        data = os.read(child.pipe, CHUNK)
        if not data:
            child.ended = True
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            verdict, note = json.loads(line)
            yield Verdict(verdict), note
        count -= len(lines)


def _end(child: Child) -> int:
    """See the child off, and say how it ended: 0 for killed by us, else the signal that ended it, or -1."""
    os.close(child.pipe)
    if not child.ended:
        os.kill(child.pid, signal.SIGKILL)
    _, status = os.waitpid(child.pid, 0)
    if not child.ended:
        return 0
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -1


def _why(ended: int, seconds: float) -> tuple[Verdict, str]:
    if ended == 0:
        return Verdict.TIMED_OUT, f"the rule had not come to an end after {seconds:g} s"
    how = f"signal {ended}" if ended > 0 else "an error of its own"
    return Verdict.ERROR, f"evaluating the rule ended the evaluator ({how})"
