"""What a program gets to see: a short list of the worker's own variables, the job's, and what `--describe` asks for."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlsplit, urlunsplit

from jobs.queue import ClaimedJob
from synops.tools.describe import Description

# Nothing that changes how programs load or run code (LD_*, PYTHON*) passes, and no secret that was not asked for.
PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYNOPS_VAR", "SYNOPS_TOOLS_PATH")

# A tool that asks for the store gets whatever reaches it, on this machine or on another.
STORE = ("STORE_URL", "STORE_TOKEN", "STORE_TOKEN_FILE", "STORE_CACHE_MB")


def program_environment(
    job: ClaimedJob, description: Description, own: Mapping[str, str], settings: Mapping[str, str], database_url: str
) -> dict[str, str]:
    """The whole environment of one run. `settings` are the values that a tool may ask for by name."""
    environment = {name: own[name] for name in PASSED if name in own}
    environment.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")
    environment.setdefault("LANG", "C.UTF-8")
    store = STORE if "STORE_DIR" in description.settings and settings.get("STORE_URL") else ()
    for name in (*description.settings, *description.secrets, *store):
        if value := settings.get(name, own.get(name, "")):
            environment[name] = value
    if description.database != "none":
        environment["DATABASE_URL"] = database_url if description.database == "write" else read_only(database_url)
    return environment | job_variables(job)


def job_variables(job: ClaimedJob) -> dict[str, str]:
    """Who is running: a writing tool fences itself with them (docs/tool-contract.md)."""
    variables = {
        "SYNOPS_JOB_ID": str(job.id),
        "SYNOPS_LEASE": str(job.lease),
        "SYNOPS_WORKER_ID": str(job.worker_id),
        "SYNOPS_COLLECTION_ID": str(job.collection_id),
        "SYNOPS_ATTEMPT": str(job.attempt),
    }
    if job.run_id:
        variables["SYNOPS_RUN_ID"] = str(job.run_id)
    if job.chain:
        variables["SYNOPS_CHAIN"] = "{" + ",".join(str(id) for id in job.chain) + "}"
    return variables


def read_only(address: str) -> str:
    """The same database, on which every transaction is read-only unless it says otherwise."""
    parts = urlsplit(address)
    option = "options=" + quote("-c default_transaction_read_only=on", safe="")
    query = f"{parts.query}&{option}" if parts.query else option
    return urlunsplit(parts._replace(query=query))
