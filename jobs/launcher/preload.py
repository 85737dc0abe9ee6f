"""The template: modules imported once, so that a fork of this process can run them without starting an interpreter.

A module is tried in a child first, so that one that crashes, hangs, starts threads or keeps descriptors open costs its
preloading and nothing else. Trying and loading include running `main()` with flags that do no work: much is imported
only then (argparse alone fetches a dozen modules), and a fork inherits it. What only the work itself imports a module
names in `warm_up()`: left to the forks, each would import it anew, and take twice as long.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import json
import os
import sys
from collections.abc import Callable, Sequence

from jobs.launcher.environment import fits
from jobs.launcher.rehearsal import extra_threads, rehearse, undisturbed
from jobs.launcher.wire import Request

_WARM_UP_FLAGS = ("--describe", "--help", "--no-such-flag")

Stamp = tuple[int, int, int]


class Spoilt(Exception):
    """This process has a second thread now and must fork no more; the argument names the module that brought it."""


class Template:
    """What is preloaded in this process. `loaded` and `refused` (with the reason) name the modules."""

    def __init__(self) -> None:
        self._mains: dict[str, Callable[[], object]] = {}
        self._stamps: dict[str, Stamp | None] = {}
        # Our PYTHONPATH is the launcher's own affair; no program is to see it.
        self._environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.refused: dict[str, str] = {}
        self.used_when_stale = False

    @property
    def loaded(self) -> list[str]:
        return sorted(self._mains)

    def load(self, names: Sequence[str], interrupts: Sequence[int] = ()) -> None:
        """Import and warm up the modules that can be preloaded; a rehearsal is cut short when one of the descriptors
        `interrupts` becomes readable. Raises Spoilt in the odd case that a module passed its rehearsal and then left a
        thread in this process: it must be executed anew, without that module."""
        for name in names:
            trial = rehearse(functools.partial(_try, name), interrupts)
            if trial.complaint:
                self.refused[name] = trial.complaint
            else:
                self._load(name, json.loads(trial.answer))
        gc.collect()
        gc.freeze()  # a later collection would touch, and so copy, every page that the forks share

    def _load(self, name: str, files: list[str]) -> None:
        # Stamped before the import: a file that changes meanwhile is then stale, never silently old.
        for path in files:
            self._stamps.setdefault(path, _stamp(path))
        with undisturbed():
            self._mains[name] = _warm_up(name)
        if extra_threads():
            raise Spoilt(name)

    def main_for(self, request: Request) -> Callable[[], object] | None:
        """The `main` that does what executing argv[0] would do; None when it must be executed."""
        main = self._mains.get(request.preload or "")
        if main is None or not fits(request.env, self._environment):
            return None
        if self._is_stale():
            self.used_when_stale = True
            return None
        return main

    def _is_stale(self) -> bool:
        """Whether a source file has changed since: then only the program on disk is the right one."""
        return any(_stamp(path) != stamp for path, stamp in self._stamps.items())


def _try(name: str) -> str:
    """What a rehearsal does: warm the module up, and answer with the files that its code came from."""
    _warm_up(name)
    return json.dumps(_sources(name))


def _warm_up(name: str) -> Callable[[], object]:
    module = importlib.import_module(name)
    main: Callable[[], object] = module.main
    for flag in _WARM_UP_FLAGS:
        sys.argv = [name.rpartition(".")[2], flag]
        with contextlib.suppress(SystemExit):
            main()
    if warm_up := getattr(module, "warm_up", None):
        warm_up()
    return main


def _sources(name: str) -> list[str]:
    """The files of the module and of its package's other modules in use. Of the libraries no notice is taken: they
    change by an installation, after which a worker is restarted anyway."""
    package = name.partition(".")[0]
    modules = [module for key, module in sys.modules.items() if key.partition(".")[0] == package]
    return [path for module in modules if (path := getattr(module, "__file__", None))]


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
