"""The job of django_tasks_peer.py, in a module of its own: its worker finds a task by the module's name."""

from __future__ import annotations

from django_tasks import task
from stamps import stamp


@task()
def noop(sent: float) -> None:
    stamp(sent)
