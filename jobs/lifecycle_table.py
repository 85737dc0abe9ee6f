"""Prints the transitions of jobs/states.py as the table of docs/job-lifecycle.md."""

from __future__ import annotations

from jobs.states import TRANSITIONS


def lifecycle_table() -> str:
    """The table in Markdown."""
    rows = [
        f"| {t.name} | {t.source.value if t.source else '–'} | {t.target.value} | {t.by} | {t.when} |"
        for t in TRANSITIONS
    ]
    return "\n".join(["| transition | from | to | made by | when |", "|---|---|---|---|---|", *rows])


if __name__ == "__main__":
    print(lifecycle_table())  # noqa: T201
