"""`python -m tests.faults [CASE…]`: a soak of MINUTES (5), then each fault; ends in findings, and fails when one is broken.

LONG=1 makes the outage ten minutes long instead of 90 s. Some 20 minutes in all.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.cases import CASES, Fault, Scene
from tests.faults.feeder import Feeder
from tests.faults.findings import Case, Findings, drained, judge
from tests.faults.fleet import Fleet
from tests.faults.house import House, house
from tests.faults.pulse import Pulse
from tests.faults.sampler import Sampler

OUTAGE_SECONDS, LONG_OUTAGE_SECONDS = 90.0, 600.0
KILL_EVERY = (20.0, 45.0)


def main(names: list[str]) -> int:
    unknown = set(names) - {case.__name__ for case in CASES}
    if unknown:
        print(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(case.__name__ for case in CASES)}")
        return 2
    minutes = float(os.environ.get("MINUTES") or 5)
    with tempfile.TemporaryDirectory(prefix="synops-faults-") as folder, house(Path(folder)) as home:
        findings = Findings()
        try:
            run(home, minutes, names, findings)
        except BaseException:
            print(f"the logs of the workers:\n{last_lines(home)}")
            raise
        if not findings.sound:
            print(f"the logs of the workers:\n{last_lines(home)}")
    print("\nall of it holds" if findings.sound else "\nBROKEN")
    return 0 if findings.sound else 1


def run(home: House, minutes: float, names: list[str], findings: Findings) -> None:
    """Load, soak, faults, drain, judgement."""
    outage = LONG_OUTAGE_SECONDS if os.environ.get("LONG") else OUTAGE_SECONDS
    fleet, feeder, sampler, pulse = Fleet(home), Feeder(home), Sampler(home), Pulse(home)
    scene = Scene(home, fleet, outage)
    try:
        fleet.start()
        feeder.start()
        sampler.start()
        said(
            f"{feeder.per_second:.1f} jobs/s of {len(feeder.rates)} kinds, {len(fleet.places)} workers on two machines"
        )
        said(f"carried: {pulse.calm(feeder.per_second):.1f}/s")
        soak(fleet, pulse, minutes)
        cases = [break_and_mend(scene, case, pulse, feeder) for case in CASES if not names or case.__name__ in names]
        feeder.end()
        said("draining")
        drained(home, feeder)
        sampler.end()
        fleet.stop()
        judge(scene, feeder, sampler, cases, findings)
    finally:
        fleet.abandon()


def soak(fleet: Fleet, pulse: Pulse, minutes: float) -> None:
    """Kill a worker every now and then, whichever it is."""
    end = time.monotonic() + 60 * minutes
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, random.uniform(*KILL_EVERY)))
        fleet.working()
        place = fleet.any_place()
        fleet.kill_and_replace(place)
        said(f"killed worker {place.name} ({fleet.kills}); {pulse.rate(20):.1f}/s in the last 20 s")


def break_and_mend(scene: Scene, fault: Fault, pulse: Pulse, feeder: Feeder) -> Case:
    """One fault, from calm to calm. What it asserts itself counts like a recovery that did not come."""
    scene.fleet.working()
    before = pulse.calm(feeder.per_second)
    scene.remarks.clear()
    began = time.monotonic()
    try:
        fault(scene)
        lasted = time.monotonic() - began
        recovery = pulse.recovered(before)
    except AssertionError as error:
        lasted, recovery = time.monotonic() - began, None
        scene.remarks.append(f"BROKEN: {error}")
    case = Case(fault.__name__, before, lasted, recovery, ", ".join(scene.remarks))
    said(case.line())
    return case


def said(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {line}", flush=True)


def last_lines(home: House) -> str:
    """What the workers said last."""
    logs = sorted(home.folder.glob("worker-*.log"))
    return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in logs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
