"""A worker killed in the middle of a step's program, in each step: a new worker runs the program again, and the run ends."""

from __future__ import annotations

import signal

import pytest

from jobs.models import Job
from orchestration.models import Run, RunStep
from tests.deadline import wait_until
from tests.jobs.worker.conftest import start_worker, tools  # noqa: F401 (fixtures)
from tests.orchestration.arrange import add_tools, compiled, end, log_of, make_recipe, make_recording
from tests.people import make_collection

STEPS = ("one", "two")


@pytest.mark.django_db(transaction=True)
def test_kill_9_of_the_worker_in_each_step_and_a_new_worker_completes_the_run(start_worker, tools, tmp_path):  # noqa: F811
    """Each program waits at its gate at the first attempt, where its worker is killed; its second attempt passes."""
    for name in STEPS:
        tools.add(
            name,
            f'echo run >> "{tmp_path}/{name}.runs"; '
            f'if [ ! -e "{tmp_path}/{name}.gate" ]; then sleep 600; fi; echo \'{{"made": "{name}"}}\'',
            params=[{"name": "text", "type": "text"}],
        )
    takes_text = {"params": [{"name": "text", "type": "text"}]}
    add_tools(*({"name": f"synops-{name}", "job_types": [name], **takes_text} for name in STEPS))
    collection = make_collection("Podcast")
    document = compiled(*[[{"tool": f"synops-{name}", "job_type": name, "params": {"text": name}}] for name in STEPS])
    recipe = make_recipe("To", document, collection)
    end(make_recording(collection))
    for name in STEPS:
        worker = start_worker()
        wait_until(lambda name=name: (tmp_path / f"{name}.runs").exists(), f"step {name} runs")
        worker.signal(signal.SIGKILL)
        worker.process.wait()
        (tmp_path / f"{name}.gate").touch()
    start_worker()
    run = Run.objects.get(orchestration_id=recipe.pk)
    wait_until(lambda: Run.objects.filter(pk=run.pk, status="completed").exists(), "the run is completed", 60)
    assert [step.result for step in RunStep.objects.filter(run=run).order_by("id")] == [{"made": n} for n in STEPS]
    assert Job.objects.filter(run_id=run.pk).count() == len(STEPS)
    assert [line[:2] for line in log_of(run)] == [(f"synops-{name}", "ok") for name in STEPS]
    for name in STEPS:
        assert (tmp_path / f"{name}.runs").read_text().count("run") == 2
