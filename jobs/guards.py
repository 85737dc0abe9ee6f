"""Whether an agent may answer now: switches, limits and loops (spec, jobbkø §4.1). Asked before its program is started.

A job that is held back ends as `excluded` with its reason: nothing has gone wrong, and trying again would not help.
What people set stands in `metadata.agents` of the system collection, the collection and the agent (docs/agents.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.queue import ClaimedJob, Ended
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import Cursor, load

AGENT_RESPOND = "agent_respond"

DEFAULTS = {
    "replies": 20,
    "window_minutes": 60,
    "replies_in_collection": 200,
    "collection_window_minutes": 60,
    "turns_in_a_row": 3,
}
LEVELS = (("system", "agents_off"), ("collection", "agents_off_here"), ("agent", "agent_off"))


@dataclass(frozen=True)
class Blocked:
    """Why an agent may not answer. `facts` are the limits behind it, stored as the job's result."""

    reason: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """What an agent is asked to do, with ids as the payload spells them in lower case."""

    job: ClaimedJob
    communication: str
    agent: str | None
    message: str | None


def before_run(cursor: Cursor, job: ClaimedJob) -> Ended | None:
    """How the job ends when a guard holds it back; None when it may run, or is no business of the guards."""
    question = question_of(job)
    if question is None:
        return None
    blocked = check(cursor, question)
    if blocked is None:
        return None
    return Ended(job, "excluded", reason=blocked.reason, result={"excluded": blocked.reason, **blocked.facts})


def check(cursor: Cursor, question: Question) -> Blocked | None:
    """The first guard that holds the question back. Needs a READ COMMITTED transaction, which also starts the run."""
    collection = question.job.collection_id
    cursor.execute("SELECT pg_advisory_xact_lock(hashtext('synops.agents'), hashtext(%(id)s))", {"id": str(collection)})
    switches = _switches(cursor, question)
    return (
        _switched_off(switches)
        or _answers_an_agent(cursor, question, Limits(switches))
        or _too_often(cursor, question, Limits(switches), _id(switches.get("collection", {}).get("default")))
    )


class Limits:
    """The numbers that hold: the agent's own, else the collection's, else the system's, else ours.

    A value that is no sensible number is passed over: a slip of the pen must not lift a limit.
    """

    LONGEST_WINDOW = 366 * 24 * 60

    def __init__(self, switches: Mapping[str, Mapping[str, Any]]) -> None:
        self._levels = [switches.get(level, {}) for level in ("agent", "collection", "system")]

    def __getitem__(self, name: str) -> int:
        levels = self._levels if not name.startswith(("replies_in", "collection")) else self._levels[1:]
        return next((level[name] for level in levels if self._sensible(name, level.get(name))), DEFAULTS[name])

    def _sensible(self, name: str, value: Any) -> bool:
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return 1 <= value <= self.LONGEST_WINDOW if name.endswith("minutes") else value >= 0


def question_of(job: ClaimedJob) -> Question | None:
    if job.job_type != AGENT_RESPOND:
        return None
    named = {name: _id(job.payload.get(name)) for name in ("communication_id", "agent_id", "message_id")}
    if named["communication_id"] is None:
        return None  # the payload is refused for it, with every problem said
    return Question(job, named["communication_id"], named["agent_id"], named["message_id"])


def _id(value: Any) -> str | None:
    """An id as PostgreSQL writes it; None for anything else."""
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _switches(cursor: Cursor, question: Question) -> dict[str, Mapping[str, Any]]:
    cursor.execute(
        load("jobs.sql", "agent_switches"),
        {"system": SYSTEM_COLLECTION_ID, "collection": question.job.collection_id, "agent": question.agent},
    )
    stored = {level: json.loads(text) if text else {} for level, text in cursor.fetchall()}
    return {level: value if isinstance(value, dict) else {"enabled": None} for level, value in stored.items()}


def _switched_off(switches: Mapping[str, Mapping[str, Any]]) -> Blocked | None:
    """Anything but an absent switch or true is off: who wrote "no" or null wanted it off."""
    off = (reason for level, reason in LEVELS if switches.get(level, {}).get("enabled", True) is not True)
    reason = next(off, None)
    return Blocked(reason, {}) if reason else None


def _answers_an_agent(cursor: Cursor, question: Question, limits: Limits) -> Blocked | None:
    parameters = {
        "communication": question.communication,
        "message": question.message,
        "agent": question.agent,
    }
    cursor.execute(load("jobs.sql", "agent_turns"), parameters)
    author, by_agent, turns = cursor.fetchone() or (None, False, 0)
    if by_agent:
        itself = question.agent is not None and author == question.agent
        return Blocked("agent_itself" if itself else "agent_other", {})
    most = limits["turns_in_a_row"]
    return Blocked("agent_turns", {"turns_in_a_row": most}) if turns >= most else None


def _too_often(cursor: Cursor, question: Question, limits: Limits, default: str | None) -> Blocked | None:
    cursor.execute(
        load("jobs.sql", "agent_replies"),
        {
            "job": question.job.id,
            "collection": question.job.collection_id,
            "communication": question.communication,
            "agent": question.agent,
            "default": default,
            "agent_minutes": limits["window_minutes"],
            "collection_minutes": limits["collection_window_minutes"],
        },
    )
    by_agent, in_collection = cursor.fetchone() or (0, 0)
    for reason, count, most, window in (
        ("agent_rate", by_agent, "replies", "window_minutes"),
        ("agents_rate_here", in_collection, "replies_in_collection", "collection_window_minutes"),
    ):
        if count >= limits[most]:
            return Blocked(reason, {most: limits[most], window: limits[window]})
    return None
