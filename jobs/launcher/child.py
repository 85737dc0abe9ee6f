"""The forked child: from a copy of the slot to the program that was asked for. Nothing here returns to the slot."""

from __future__ import annotations

import atexit
import contextlib
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from jobs.launcher import linux
from jobs.launcher.explain import explain
from jobs.launcher.find import find
from jobs.launcher.wire import CPU_GRACE_SECONDS, Limits, Request

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Ignored by launcher and slots, so that a Ctrl-C or a `kill` meant for the worker doesn't end them first."""

_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)

IGNORED_HERE = STOP_SIGNALS + _IGNORED_BY_PYTHON
"""An ignored signal stays ignored through exec, so these must be given back to the program."""


def become(
    request: Request,
    streams: tuple[int, int, int],
    main: Callable[[], object] | None,
    slot: int,
    complaints: int,
) -> NoReturn:
    """Become the program, in a session of its own. What goes wrong before it begins is written to `complaints`."""
    stage = "program"
    try:
        os.setsid()
        _die_with(slot)
        for number, fd in enumerate(streams):
            os.dup2(fd, number)
        stage = "limits"
        _limit(request.limits)
        stage = "directory"
        os.chdir(request.cwd)
        stage = "program"
        if main is None:
            _execute(request)
    except BaseException as error:  # noqa: BLE001 a copy of the slot must never live on
        os.write(complaints, explain(request, stage, error).encode(errors="replace"))
        os._exit(127)
    _run(main, request)


def _execute(request: Request) -> NoReturn:
    _give_back_signals(IGNORED_HERE)
    os.execve(find(request.argv, request.env), list(request.argv), dict(request.env))  # noqa: S606 no shell is the point


def _die_with(slot: int) -> None:
    """The belt: should slot and launcher both be killed, nobody is left to sweep, but the kernel kills the program."""
    linux.signal_at_parents_death(signal.SIGKILL)
    if os.getppid() != slot:  # it died before we could ask
        os._exit(1)


def _limit(limits: Limits) -> None:
    if limits.max_open_files is not None:
        _lower(resource.RLIMIT_NOFILE, limits.max_open_files, limits.max_open_files)
    if limits.max_cpu_seconds is not None:
        # At the soft limit comes XCPU, which names the reason; at the hard one KILL, which looks like anyone's.
        _lower(resource.RLIMIT_CPU, limits.max_cpu_seconds, limits.max_cpu_seconds + CPU_GRACE_SECONDS)
    if limits.oom_score_adj is not None:
        Path("/proc/self/oom_score_adj").write_text(str(limits.oom_score_adj))


def _lower(which: int, soft: int, hard: int) -> None:
    _, ceiling = resource.getrlimit(which)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(which, (soft, hard))


def _give_back_signals(signals: tuple[signal.Signals, ...]) -> None:
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _run(main: Callable[[], object], request: Request) -> NoReturn:
    """Run a preloaded module's `main()` so that nobody can tell it from the same program executed.

    The frames above us stay alive, and with them the slot's socket objects: were one collected, it would close a
    descriptor number that by then may be the program's own.
    """
    linux.close_descriptors(keep=set())
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    sys.argv = list(request.argv)
    linux.name_process(os.path.basename(sys.argv[0]))  # noqa: PTH119
    _give_back_signals(STOP_SIGNALS)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = _exit_code(main)
    os._exit(_finish(code))


def _exit_code(main: Callable[[], object]) -> int:
    """What `sys.exit(main())` at the end of a script makes of it."""
    try:
        result = main()
    except SystemExit as leaving:
        result = leaving.code
    except BaseException as error:  # noqa: BLE001 reported as the interpreter would
        ours = error.__traceback__
        error.with_traceback(ours and ours.tb_next)  # our own frame is no business of who reads the log
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            _die_of(signal.SIGINT)
        return 1
    if result is None or isinstance(result, int):
        return (result or 0) & 0xFF
    print(result, file=sys.stderr)  # noqa: T201
    return 1


def _die_of(signum: signal.Signals) -> None:
    _finish(1)
    signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)


def _finish(code: int) -> int:
    """What the interpreter does at its end, without taking itself apart; 120 when stdout can't be flushed, as there."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        print(f"Exception ignored in: {sys.stdout!r}\n{type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
        code = 120
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    return code
