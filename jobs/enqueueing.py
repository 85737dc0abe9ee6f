"""Enqueuing on behalf of people and programs outside: the type must be known and the payload must fit it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.admin.models import ADDITION, LogEntry
from django.db import connection, transaction
from django.utils.translation import gettext_noop

from jobs import queue, scope, tool_nodes
from jobs.live.announcer import announce
from jobs.models import Job
from jobs.payload import PayloadRefused
from jobs.queue import NewJob
from jobs.registries import registries
from synops.graph.models import Node
from synops.store.sql import Cursor
from synops.tools.arguments import job_problems

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractUser


class Refused(ValueError):
    """A job that can't be enqueued; the text says why and what to do."""


class AlreadyQueued(Refused):
    """An unfinished job of the type has the same dedupe key."""


def enqueue_as(user: AbstractUser, job: NewJob) -> UUID:
    """Enqueue a job on behalf of a person, with an audit entry; its id.

    Raises PermissionError without the right or without access to the collection, AlreadyQueued or
    Refused when the job can't be.
    """
    if not user.has_perm("jobs.enqueue_job"):
        raise PermissionError("jobs.enqueue_job is needed")
    if not Node.objects.visible_to(user).filter(pk=job.collection_id, node_kind="collection").exists():
        raise PermissionError("no collection that you have access to")
    with transaction.atomic(), connection.cursor() as cursor:
        id = enqueue_checked(cursor, job)
        if id is None:
            raise AlreadyQueued(f"{job.job_type} {job.dedupe_key} is in the queue already.")
        LogEntry.objects.log_actions(user.pk, [Job.objects.get(pk=id)], ADDITION, gettext_noop("Enqueued."))
        announce("job", [id])
    return id


def enqueue_checked(cursor: Cursor, job: NewJob) -> UUID | None:
    """Enqueue a job after checking type and payload; None when its dedupe key is taken. Raises Refused."""
    problems = payload_problems(cursor, job)
    if problems:
        raise Refused(f"{job.job_type} can't be enqueued: " + "; ".join(problems) + ".")
    inline = registries.inline.get(job.job_type)
    if inline and job.order_key is None:
        job = replace(job, order_key=inline.order_key(job.payload))
    try:
        return queue.enqueue(cursor, job)
    except PayloadRefused as refused:
        raise Refused(str(refused)) from refused


def payload_problems(cursor: Cursor, job: NewJob) -> list[str]:
    """Everything that is wrong with type and payload, one sentence each."""
    if inline := registries.inline.get(job.job_type):
        return inline.validate(job.payload)
    described = tool_nodes.descriptions(cursor)
    if description := described.get(job.job_type):
        return job_problems(description, job.job_type, job.payload) or scope.outside(
            cursor, description, job.payload, job.collection_id, job.run_id
        )
    known = ", ".join(sorted({*described, *registries.inline})) or "none; run `manage.py sync_tools`"
    return [f"no tool describes {job.job_type} yet (known types: {known})"]
