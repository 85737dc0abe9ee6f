"""From an id, or the beginning of one, to the job: what a person has copied from a log or a colleague."""

from __future__ import annotations

import re
from uuid import UUID

from django.db.models import QuerySet

from jobs.models import Job

HEXADECIMAL = re.compile(r"[0-9a-f]{6,32}")


def jobs_named(rows: QuerySet[Job], text: str) -> list[UUID]:
    """At most two of the jobs whose id begins with the text; none when it can't begin an id. Index: job_queue_pkey."""
    digits = text.strip().strip("{}").replace("-", "").lower()
    if not HEXADECIMAL.fullmatch(digits):
        return []
    first, last = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
    return list(rows.filter(pk__range=(first, last)).values_list("pk", flat=True)[:2])
