"""The shapes of requests and answers as JSON Schema, by name: what is checked is what the OpenAPI document says."""

from __future__ import annotations

from typing import Any

from jobs.display import Shown
from jobs.states import Outcome, Status
from resources.models import DiskReading, PriorityRule
from resources.rules import CHANGEABLE

Schema = dict[str, Any]

ID: Schema = {"type": "string", "format": "uuid"}
TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 200}
WHOLE: Schema = {"type": "integer"}
YES_NO: Schema = {"type": "boolean"}
ANYTHING: Schema = {}
TIME: Schema = {"type": "string", "format": "date-time"}
LEASE: Schema = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
PRIORITY: Schema = {"type": "integer", "minimum": 0, "maximum": 10}


def nullable(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def listed(schema: Schema) -> Schema:
    """A list of them."""
    return {"type": "array", "items": schema}


def shape(required: Schema, optional: Schema | None = None, *, closed: bool = True) -> Schema:
    """An object with these members; a request with others is refused, so that a misspelt one is not ignored."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": not closed,
    }


def named(name: str) -> Schema:
    """A reference to another shape."""
    return {"$ref": f"#/components/schemas/{name}"}


JOB: Schema = {
    "id": ID,
    "collection_node_id": ID,
    "job_type": TEXT,
    "status": {"enum": Status.values},
    "outcome": {"enum": [*Outcome.values, None]},
    "shown": {"enum": Shown.values},
    "priority": PRIORITY,
    "attempts": WHOLE,
    "max_attempts": WHOLE,
    "error_msg": nullable(TEXT),
    "created_at": TIME,
    "scheduled_for": TIME,
    "started_at": nullable(TIME),
    "completed_at": nullable(TIME),
    "cancel_requested_at": nullable(TIME),
    "run_id": nullable(ID),
    "dedupe_key": nullable(TEXT),
    "progress": nullable({"type": "number"}),
    "message": nullable(TEXT),
}
ATTEMPT: Schema = {
    "attempt": WHOLE,
    "lease": WHOLE,
    "worker_id": ID,
    "machine": TEXT,
    "argv": nullable(listed(TEXT)),
    "due_at": nullable(TIME),
    "started_at": TIME,
    "finished_at": nullable(TIME),
    "outcome": {"enum": [*Outcome.values, None]},
    "reason": TEXT,
    "reason_text": TEXT,
    "exit_code": nullable(WHOLE),
    "signal": nullable(WHOLE),
    "error": nullable(TEXT),
}
COUNT = shape({"value": {"type": "integer", "minimum": 0}, "exact": YES_NO})
READING = shape(
    {
        "machine": TEXT,
        "path": TEXT,
        "total_bytes": WHOLE,
        "used_bytes": WHOLE,
        "percent": {"type": "number"},
        "level": {"enum": DiskReading.Level.values},
        "measured_at": TIME,
    }
)
STEP = shape(
    {
        "step": WHOLE,
        "alternative": WHOLE,
        "line": WHOLE,
        "tool": TEXT,
        "state": TEXT,
        "reason": TEXT,
        "job_id": nullable(ID),
        "exit_code": nullable(WHOLE),
        "result": ANYTHING,
        "error": TEXT,
    }
)


def _rule_field(name: str) -> Schema:
    field: Any = PriorityRule._meta.get_field(name)
    kind = YES_NO if field.get_internal_type() == "BooleanField" else WHOLE
    return nullable(kind) if field.null else kind


RULE_FIELDS: Schema = {name: _rule_field(name) for name in CHANGEABLE}
RULE = shape({"job_type": TEXT, **RULE_FIELDS})
NEW_JOB: Schema = {"job_type": NAME, "payload": {"type": "object"}}
NEW_JOB_MORE: Schema = {"priority": PRIORITY, "scheduled_for": TIME, "dedupe_key": NAME}

SHAPES: dict[str, Schema] = {
    "Problem": shape(
        {"type": TEXT, "title": TEXT, "status": WHOLE, "detail": TEXT}, {"errors": listed(TEXT)}, closed=False
    ),
    "Job": shape(JOB),
    "JobDetails": shape(
        {
            **JOB,
            "payload": {"type": "object"},
            "result": ANYTHING,
            "attempt_rows": listed(shape(ATTEMPT)),
            "waits_for": listed(shape({"code": TEXT, "machine": nullable(TEXT), "text": TEXT})),
        }
    ),
    "JobList": shape(
        {
            "items": listed(named("Job")),
            "next": nullable(TEXT),
            "total": COUNT,
            "counts": shape(dict.fromkeys(Status.values, COUNT)),
            "types": listed(TEXT),
        }
    ),
    "NewJob": shape({"collection": NAME, **NEW_JOB}, NEW_JOB_MORE),
    "HookJob": shape(NEW_JOB, NEW_JOB_MORE),
    "JobId": shape({"job_id": ID}),
    "JobWish": shape({"job_id": ID}),
    "JobDeferral": shape({"job_id": ID, "until": TIME}),
    "JobPriority": shape({"job_id": ID, "priority": PRIORITY}),
    "JobChanged": shape({"job_id": ID, "job": nullable(named("Job"))}),
    "SummaryWish": shape({"communication_id": ID}),
    "RunWish": shape(
        {"orchestration_id": ID},
        {"node_id": ID, "collection_id": ID, "input": {"type": "object", "additionalProperties": TEXT}},
    ),
    "RunId": shape({"run_id": ID}),
    "CancelRunWish": shape({"run_id": ID}),
    "RerunWish": shape({"run_id": ID}, {"from_failed_step": YES_NO}),
    "Run": shape(
        {
            "id": ID,
            "orchestration_id": nullable(ID),
            "collection_id": ID,
            "status": TEXT,
            "reason": TEXT,
            "trigger": {"type": "object"},
            "created_at": TIME,
            "finished_at": nullable(TIME),
            "steps": listed(STEP),
        }
    ),
    "ReanalysisWish": shape({"case": NAME}, {"force": YES_NO}),
    "CaseRun": shape({"case": TEXT, "generation": WHOLE}),
    "WorkItems": shape(
        {
            "items": listed(
                shape({"id": ID, "title": TEXT, "text": TEXT, "tags": listed(TEXT), "times": WHOLE, "created_at": TIME})
            )
        }
    ),
    "ClaimWish": shape({"work_item_id": ID}, {"seconds": {"type": "number", "minimum": 1, "maximum": 86_400}}),
    "Claim": shape({"work_item_id": ID, "lease": WHOLE, "until": TIME, "brief": {"type": "object"}}),
    "ReleaseWish": shape({"work_item_id": ID, "lease": LEASE}),
    "WorkItemId": shape({"work_item_id": ID}),
    "AnswerWish": shape(
        {"work_item_id": ID, "lease": LEASE, "text": {"type": "string", "maxLength": 200_000}}, {"note": TEXT}
    ),
    "Answered": shape({"work_item_id": ID, "version": WHOLE}),
    "ApprovalWish": shape({"work_item_id": ID}, {"activate": YES_NO}),
    "Approved": shape({"work_item_id": ID, "run_id": nullable(ID), "problem": TEXT}),
    "RecipeText": shape(
        {"text": {"type": "string", "maxLength": 200_000}},
        {"layer": {"enum": ["auto", "human", "technical"]}, "language": {"enum": ["nb", "nn", "en"]}},
    ),
    "Compilation": shape(
        {
            "schema": WHOLE,
            "ok": YES_NO,
            "compiler": TEXT,
            "lexicon_hash": TEXT,
            "layer": TEXT,
            "diagnostics": listed({"type": "object"}),
            "more": WHOLE,
            "lines": listed({"type": "object"}),
            "compiled": ANYTHING,
        }
    ),
    "Resources": shape(
        {
            "disk": listed(READING),
            "live_call": shape({"active": YES_NO, "calls": WHOLE, "stale_flags": WHOLE}),
            "weight": listed(shape({"machine": TEXT, "used": WHOLE, "budget": WHOLE, "full_budget": WHOLE})),
            "held_back": listed(shape({"job_type": TEXT, "reason": TEXT, "jobs": WHOLE})),
            "rules": listed(RULE),
            "running": listed(named("Job")),
        }
    ),
    "Disks": shape({"machines": listed(shape({"machine": TEXT, "now": READING, "history": listed(READING)}))}),
    "RuleChange": shape({"job_type": NAME}, RULE_FIELDS),
    "RuleChanged": shape({"rule": RULE, "created": YES_NO, "before": {"type": "object"}}),
}
