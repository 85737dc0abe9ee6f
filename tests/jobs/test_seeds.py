"""What an installation begins with."""

from __future__ import annotations

import pytest

from jobs.registries import registries
from resources.models import PriorityRule

pytestmark = pytest.mark.django_db


def test_what_runs_inside_the_worker_takes_nothing_of_the_machines_budget() -> None:
    weights = dict(PriorityRule.objects.values_list("job_type", "cpu_weight"))
    assert {job_type: weights.get(job_type) for job_type in registries.inline if weights.get(job_type) != 0} == {}
