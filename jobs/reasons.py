"""Reasons in words: why an attempt ended as it did, and why a job waits. Stored as codes, translated when shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from jobs.waiting import Reason

ATTEMPT_REASONS: dict[str, Promise] = {
    "agent_itself": gettext_lazy("an agent does not answer itself"),
    "agent_off": gettext_lazy("this agent is switched off"),
    "agent_other": gettext_lazy("an agent does not answer another agent"),
    "agent_rate": gettext_lazy("this agent has answered as often in this conversation as it may for now"),
    "agent_turns": gettext_lazy("agents have written too many times in a row; it is a person's turn"),
    "agents_off": gettext_lazy("agents are switched off everywhere"),
    "agents_off_here": gettext_lazy("agents are switched off in this collection"),
    "agents_rate_here": gettext_lazy("agents have answered as often in this collection as they may for now"),
    "cancelled": gettext_lazy("cancelled by a person"),
    "claim_refused": gettext_lazy("its pipeline step is over, or another job's"),
    "configuration_gap": gettext_lazy("something is not configured yet; nothing was recorded"),
    "cpu_exceeded": gettext_lazy("used more processor time than its type may"),
    "database_away": gettext_lazy("the database could not be reached"),
    "excluded": gettext_lazy("not for this tool; no error"),
    "exit_code": gettext_lazy("the program reported an error"),
    "finished_after_cancel": gettext_lazy("finished although it had been cancelled; the result is kept"),
    "guarded_kind": gettext_lazy("nodes of this kind are not written by jobs"),
    "inline_error": gettext_lazy("failed inside the worker"),
    "memory_exceeded": gettext_lazy("used more memory than its type may"),
    "out_of_memory": gettext_lazy("killed from outside, probably because the machine ran out of memory"),
    "edge_refused": gettext_lazy("draws an edge that must not be"),
    "outside_collection": gettext_lazy("names something outside the job's collection"),
    "payload_invalid": gettext_lazy("the payload does not fit the tool"),
    "result_not_json": gettext_lazy("what the program wrote to stdout is no JSON"),
    "result_not_storable": gettext_lazy("the result can't be stored"),
    "result_too_large": gettext_lazy("the result is larger than 1 MiB"),
    "shutdown": gettext_lazy("interrupted: the worker was stopped"),
    "signal": gettext_lazy("the program was ended by a signal"),
    "slot_lost": gettext_lazy("the process that ran it died"),
    "step_failed": gettext_lazy("the pipeline step failed"),
    "start_failed": gettext_lazy("the program could not be started"),
    "timed_out": gettext_lazy("ran longer than its type may"),
    "worker_error": gettext_lazy("an error in the worker"),
    "worker_lost": gettext_lazy("the worker was lost"),
}


def attempt_reason(code: str) -> str:
    """An attempt's reason as a sentence's end; a code that is not known is shown as it is."""
    return str(ATTEMPT_REASONS.get(code, code))


HEALTH_ALARMS: dict[str, Promise] = {
    "dead_rows": gettext_lazy("Dead rows pile up in the queue's table: something keeps vacuum from taking them."),
    "old_transaction": gettext_lazy("A transaction has been open for long; the queue slows down until it ends."),
    "notify_queue": gettext_lazy("PostgreSQL's queue of notifications fills up: a listener does not read them."),
    "overdue": gettext_lazy("Jobs run far beyond their time limit: their worker may be stuck."),
}


WAITING_REASONS: dict[str, Promise] = {
    "scheduled": gettext_lazy("It is not due yet."),
    "backoff": gettext_lazy("It failed, and waits before it is tried again."),
    "paused": gettext_lazy("Its type is paused."),
    "order": gettext_lazy("An earlier job for the same node or edge is not finished."),
    "no_worker": gettext_lazy("No worker that is alive can run this type."),
    "live_call": gettext_lazy("A live call is on, and its type waits for that."),
    "disk_full": gettext_lazy("The disk is full, and its type waits for that."),
    "reserved": gettext_lazy("The machine is kept free for a heavier job that has waited long."),
    "slots_full": gettext_lazy("All slots are taken."),
    "starting": gettext_lazy("Nothing stands in its way: it is about to start."),
}


def waiting_sentence(reason: Reason) -> str:
    """Why a job waits, as a sentence without the names of other jobs: a reader may not be allowed to see those."""
    counted = _COUNTED.get(reason.code)
    sentence = counted(reason.facts) if counted else str(WAITING_REASONS[reason.code])
    if reason.machine is None:
        return sentence
    return _("On %(machine)s: %(sentence)s") % {"machine": reason.machine, "sentence": sentence}


def _behind(facts: dict[str, Any]) -> str:
    ahead = int(facts["ahead"])
    sentence: str = ngettext("%(n)d other job comes first.", "%(n)d other jobs come first.", ahead)
    return sentence % {"n": ahead}


def _type_full(facts: dict[str, Any]) -> str:
    limit = int(facts["limit"])
    sentence: str = ngettext(
        "Its type is full: %(n)d job of this type may run at once.",
        "Its type is full: %(n)d jobs of this type may run at once.",
        limit,
    )
    return sentence % {"n": limit}


def _budget_short(facts: dict[str, Any]) -> str:
    return _("The machine's budget is short by %(n)d: other jobs hold it.") % {"n": int(facts["short"])}


_COUNTED: dict[str, Callable[[dict[str, Any]], str]] = {
    "behind": _behind,
    "type_full": _type_full,
    "budget_short": _budget_short,
}
