"""The programs whose jobs are run while things break: quick, noisy, slow with children that hide, heavy, flaky, writing."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.web import PROJECT

HIDDEN_SECONDS = 86399
"""What hiding children sleep; with the run's number behind the point, so that a survivor can be told from everything else."""


@dataclass(frozen=True)
class Kind:
    """A job type of the load: how many a second, the rule that limits it, and its program."""

    name: str
    per_second: float
    rule: Mapping[str, int]
    script: str
    described: Mapping[str, Any]


def kinds(marker: str) -> tuple[Kind, ...]:
    """The kinds of one run; `marker` makes its hidden children recognisable."""
    hidden = f"sleep {HIDDEN_SECONDS}.{marker} >/dev/null 2>&1 </dev/null"
    return (
        Kind("fault_quick", 4.0, {}, "echo 1", {}),
        Kind("fault_noisy", 0.5, {}, "head -c 200000 /dev/zero | tr '\\0' 'x' | fold >&2; echo 1", {}),
        Kind(
            "fault_hiding",
            0.5,
            {"max_concurrent": 4},
            f"(setsid sh -c '{hidden} & {hidden}' &) ; env -i setsid nohup {hidden} & sleep 2; echo 1",
            {},
        ),
        Kind("fault_heavy", 0.2, {"cpu_weight": 5, "max_concurrent": 1}, "sleep 1; echo 1", {}),
        Kind("fault_flaky", 0.2, {}, '[ "$SYNOPS_ATTEMPT" -gt 1 ] && echo 1', {}),
        Kind("fault_writing", 0.3, {"cpu_weight": 2}, "", {"database": "write", "exit_codes": "sysexits"}),
    )


INLINE_PER_SECOND = 4.0
"""Jobs that run inside a worker: each inserts one node."""


def install(folder: Path, marker: str) -> None:
    """Put the programs on a tool path."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds(marker):
        path = folder / f"synops-{kind.name.replace('_', '-')}"
        path.write_text(_writing() if kind.name == "fault_writing" else _shell(path.name, kind), encoding="utf-8")
        path.chmod(0o755)


def _shell(name: str, kind: Kind) -> str:
    described = {"name": name, "version": "1", "description": {"en": kind.name}, "job_types": [kind.name]}
    answer = json.dumps({**described, **kind.described})
    return f"#!/bin/sh\nif [ \"$1\" = --describe ]; then cat <<'END'\n{answer}\nEND\nexit 0; fi\n{kind.script}\n"


def _writing() -> str:
    """A program of ours, with the contract's own transaction and fence."""
    return (
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PROJECT)!r})\n"
        "from tests.faults.writing import main\nsys.exit(main())\n"
    )
