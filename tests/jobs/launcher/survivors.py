"""Programs that leave processes behind in every way they know, and the look for what is left of them.

What is looked for is a word in the command line: it survives `env -i`, a new session and the death of all ancestors.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path

SHAPES = {
    "background": "{sleeper} &",
    "nohup": "nohup {sleeper} &",
    "double_fork": "( ( {sleeper} & ) & )",
    "setsid": "setsid {sleeper} &",
    "daemon": "setsid bash -c '{sleeper} & disown; exit' &",
    "empty_environment": "env -i setsid {sleeper} &",
    "ignores_term": "( trap '' TERM INT HUP; {sleeper} ) &",
    "stopped": "{sleeper} & until [ -s {born} ]; do sleep 0.01; done; kill -STOP $!",
    "inherits_pipes": "{sleeper} &",
    "deep": 'bash -c "bash -c \'bash -c \\"{sleeper}; true\\"; true\'; true" &',
}
"""Each starts one process called after the word; all but `inherits_pipes` have let go of the tool's stdout and stderr,
so that a full pipe or a reader waiting for its end can't hide a survivor."""


class Family:
    """One program that starts a process of each shape, and the word that they all carry."""

    def __init__(self, directory: Path, shapes: Iterable[str] = tuple(SHAPES)) -> None:
        self._directory = directory
        self._shapes = list(shapes)
        self._word = f"survivor-{uuid.uuid4()}"

    def command(self, ending: str) -> list[str]:
        """Start the processes, wait until they are there, then do `ending`."""
        starts = "\n".join(self._start(shape) for shape in self._shapes)
        waits = "\n".join(f"until [ -s {self._born(shape)} ]; do sleep 0.01; done" for shape in self._shapes)
        return ["bash", "-c", f"{starts}\n{waits}\n{ending}", self._word]

    def _start(self, shape: str) -> str:
        sleeper = self._directory / f"{shape}.sh"
        hush = "" if shape == "inherits_pipes" else "</dev/null >/dev/null 2>&1"
        say = f"echo $$ >> {self._born(shape)}"
        sleeper.write_text(f"#!/bin/bash\n{say}\nexec -a {self._word}-{shape} sleep 600 {hush}\n")
        sleeper.chmod(0o755)
        return SHAPES[shape].format(sleeper=sleeper, born=self._born(shape))

    def _born(self, shape: str) -> Path:
        return self._directory / f"{shape}.born"

    @property
    def complete(self) -> bool:
        """Whether all the processes that are to be left behind were there at all."""
        return all(self._born(shape).exists() for shape in self._shapes)

    def alive(self) -> list[str]:
        """The command lines of all processes that carry the word, the program itself included."""
        lines = (_command_line(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        return [line for line in lines if self._word in line]


def _command_line(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except OSError:
        return ""
