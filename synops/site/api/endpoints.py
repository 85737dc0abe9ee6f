"""What the API consists of. Routes, checks and the OpenAPI document are all made from this list."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.utils.translation import gettext_noop

from jobs.filters import PERIODS
from jobs.operations import OPERATIONS, Operation
from jobs.states import Outcome, Status
from synops.site.api import cases, hooks, intentions, jobs, recipes, resources, work_items
from synops.site.api.endpoint import Endpoint

OPERATION_PATHS = {
    "retry": "retry_job",
    "cancel": "cancel_job",
    "run_now": "run_job_now",
    "defer": "defer_job",
    "prioritise": "prioritise_job",
    "discard": "discard_job",
}
OPERATION_BODIES = {"until": "JobDeferral", "priority": "JobPriority", "": "JobWish"}


def _parameter(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": schema}


JOB_QUERY = (
    _parameter("status", "Only jobs with this status.", enum=Status.values),
    _parameter("type", "Only jobs of this type.", type="string", maxLength=200),
    _parameter("collection_id", "Only jobs of this collection.", type="string", format="uuid"),
    _parameter("limit", "Jobs a page.", type="integer", minimum=1, maximum=jobs.MAX_LIMIT, default=jobs.DEFAULT_LIMIT),
    _parameter(
        "offset", "Jobs to skip; use `after` to go further.", type="integer", minimum=0, maximum=jobs.MAX_OFFSET
    ),
    _parameter("after", "The `next` of the page before.", type="string"),
    _parameter("outcome", "Only finished jobs that ended so.", enum=Outcome.values),
    _parameter("priority", "Only jobs of this priority.", type="integer", minimum=0, maximum=10),
    _parameter("worker", "Only jobs that this worker (id) or machine (name) has tried.", type="string", maxLength=200),
    _parameter("run_id", "Only jobs of this run.", type="string", format="uuid"),
    _parameter("recipe", "Only jobs of this recipe's runs.", type="string", format="uuid"),
    _parameter("period", "Only jobs created within it.", enum=list(PERIODS)),
    _parameter("created_after", "Created at this time or later.", type="string", format="date-time"),
    _parameter("created_before", "Created before this time.", type="string", format="date-time"),
    _parameter("error", "Only jobs whose error holds this text.", type="string", maxLength=200),
)


def _operation(operation: Operation) -> Endpoint:
    name = OPERATION_PATHS[operation.name]
    return Endpoint(
        "POST",
        f"/intentions/{name}",
        f"api-{name}",
        str(operation.button),
        partial(jobs.do, operation),
        {200: "JobChanged"},
        refusals=(400, 403, 404, 409, 413, 415, 422),
        body=OPERATION_BODIES[operation.takes],
    )


BODY = (400, 403, 413, 415, 422)

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/admin/jobs",
        "api-jobs",
        gettext_noop("The jobs that the caller may see, filtered, the newest first"),
        jobs.list_jobs,
        {200: "JobList"},
        (403, 422),
        permission="jobs.view_job",
        query=JOB_QUERY,
        html=jobs.to_page,
    ),
    Endpoint(
        "POST",
        "/api/jobs",
        "api-enqueue",
        gettext_noop("Enqueue a job"),
        jobs.enqueue,
        {202: "JobId"},
        (*BODY, 409),
        permission="jobs.enqueue_job",
        body="NewJob",
    ),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}",
        "api-job",
        gettext_noop("One job with its attempts, and why it waits"),
        jobs.one_job,
        {200: "JobDetails"},
        (403, 404),
        permission="jobs.view_job",
    ),
    *(_operation(OPERATIONS[name]) for name in OPERATION_PATHS),
    Endpoint(
        "POST",
        "/intentions/summarize",
        "api-summarize",
        gettext_noop("Have a communication summarised"),
        intentions.summarize,
        {202: "JobId"},
        (*BODY, 404, 409),
        permission="jobs.enqueue_job",
        body="SummaryWish",
    ),
    Endpoint(
        "POST",
        "/intentions/run_orchestration",
        "api-run-orchestration",
        gettext_noop("Start a recipe by hand"),
        intentions.run_recipe,
        {202: "RunId"},
        (*BODY, 404),
        permission="orchestration.run_orchestration",
        body="RunWish",
    ),
    Endpoint(
        "POST",
        "/intentions/cancel_run",
        "api-cancel-run",
        gettext_noop("Cancel a run"),
        intentions.cancel_run,
        {200: "RunId"},
        (*BODY, 404, 409),
        permission="orchestration.cancel_run",
        body="CancelRunWish",
    ),
    Endpoint(
        "POST",
        "/intentions/rerun",
        "api-rerun",
        gettext_noop("Run a run again, whole or from the step that failed"),
        intentions.rerun,
        {202: "RunId"},
        (*BODY, 404, 409),
        permission="orchestration.rerun_run",
        body="RerunWish",
    ),
    Endpoint(
        "GET",
        "/api/runs/{run_id}",
        "api-run",
        gettext_noop("One run with its steps"),
        intentions.one_run,
        {200: "Run"},
        (403, 404),
        permission="orchestration.view_run",
    ),
    Endpoint(
        "GET",
        "/api/work_items",
        "api-work-items",
        gettext_noop("Work items that wait for a script and that nobody holds"),
        work_items.waiting,
        {200: "WorkItems"},
        (403,),
        permission="orchestration.answer_workitem",
        query=(_parameter("tag", "Only items with this tag, such as script_request.", type="string", maxLength=200),),
    ),
    Endpoint(
        "POST",
        "/intentions/claim_work_item",
        "api-claim-work-item",
        gettext_noop("Take a work item for a while"),
        work_items.claim,
        {200: "Claim"},
        (*BODY, 404, 409),
        permission="orchestration.answer_workitem",
        body="ClaimWish",
    ),
    Endpoint(
        "POST",
        "/intentions/release_work_item",
        "api-release-work-item",
        gettext_noop("Give a work item back"),
        work_items.release,
        {200: "WorkItemId"},
        (*BODY, 404, 409),
        permission="orchestration.answer_workitem",
        body="ReleaseWish",
    ),
    Endpoint(
        "POST",
        "/intentions/answer_work_item",
        "api-answer-work-item",
        gettext_noop("Answer a work item with a script, for a person to approve"),
        work_items.answer,
        {202: "Answered"},
        (*BODY, 404, 409),
        permission="orchestration.answer_workitem",
        body="AnswerWish",
    ),
    Endpoint(
        "POST",
        "/intentions/approve_answer",
        "api-approve-answer",
        gettext_noop("Approve the script that a work item was answered with; for people, not for tokens"),
        work_items.approve,
        {200: "Approved"},
        (*BODY, 404, 409),
        scope=None,
        permission="orchestration.change_orchestration",
        body="ApprovalWish",
    ),
    Endpoint(
        "POST",
        "/api/compile",
        "api-compile",
        gettext_noop("Compile a recipe; saves nothing"),
        recipes.compile_text,
        {200: "Compilation"},
        BODY,
        permission="orchestration.view_orchestration",
        body="RecipeText",
    ),
    Endpoint(
        "GET",
        "/admin/resources",
        "api-resources",
        gettext_noop("Disk, live call, weight, rules and running jobs"),
        resources.overview,
        {200: "Resources"},
        (403,),
        permission="resources.view_priorityrule",
        html=resources.to_page,
    ),
    Endpoint(
        "GET",
        "/admin/resources/disk",
        "api-disk",
        gettext_noop("Each machine's disk now, and its last 60 readings"),
        resources.disk,
        {200: "Disks"},
        (403,),
        permission="resources.view_diskreading",
        html=resources.to_disk_page,
    ),
    Endpoint(
        "POST",
        "/admin/resources/update_rule",
        "api-update-rule",
        gettext_noop("Create or change the rule of a job type"),
        resources.change_rule,
        {200: "RuleChanged"},
        BODY,
        body="RuleChange",
    ),
    Endpoint(
        "POST",
        "/internal/pipeline/reanalyze",
        "api-reanalyze",
        gettext_noop("Run a case anew"),
        cases.reanalyze,
        {202: "CaseRun"},
        (*BODY, 404, 409),
        scope="pipeline",
        permission="cases.reanalyse_casefile",
        body="ReanalysisWish",
    ),
    Endpoint(
        "POST",
        "/hooks/{token}",
        "api-hook",
        gettext_noop("Enqueue into the token's collection"),
        hooks.enqueue,
        {202: "JobId"},
        (*BODY, 409),
        body="HookJob",
        identify=hooks.by_address,
    ),
)
