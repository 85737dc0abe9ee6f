"""The guards in a real worker, before a program that a test puts in the place of synops-respond."""

from __future__ import annotations

import pytest

from jobs.models import Attempt, Job
from tests.jobs.worker.conftest import enqueue, wait_for
from tests.people import make_collection, make_node

pytestmark = pytest.mark.django_db(transaction=True)

PARAMS = [
    {"name": "communication_id", "type": "uuid", "required": True},
    {"name": "agent_id", "type": "uuid", "required": True},
    {"name": "model", "type": "string"},
]


def test_an_agent_that_is_switched_off_is_not_started_and_one_that_is_on_gets_its_model(tools, start_worker, tmp_path):
    tools.add("respond", f'echo "$@" >> {tmp_path}/started; echo 1', job_types=["agent_respond"], params=PARAMS)
    collection = make_collection("Nettprat")
    off, on = (
        make_node("agent", into=collection, metadata={"agents": {"enabled": enabled}, "model": "stor"})
        for enabled in (False, True)
    )
    conversation = make_node("communication", into=collection)
    start_worker().ready()
    blocked, answered = (
        enqueue(
            "agent_respond",
            collection=collection.pk,
            payload={"communication_id": str(conversation.pk), "agent_id": str(agent.pk)},
        )
        for agent in (off, on)
    )
    blocked, answered = wait_for(blocked, "completed"), wait_for(answered, "completed")
    assert (blocked.outcome, blocked.result, blocked.error_msg) == ("excluded", {"excluded": "agent_off"}, None)
    assert Attempt.objects.get(job=blocked).reason == "agent_off"
    assert answered.outcome == "succeeded"
    assert (tmp_path / "started").read_text().split() == [
        f"--communication-id={conversation.pk}",
        f"--agent-id={on.pk}",
        "--model=stor",
    ]
    assert Job.objects.get(pk=answered.pk).payload.get("model") is None, "what was asked for stays as it was asked"
