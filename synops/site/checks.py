"""`manage.py check` as the linter of the configuration: each finding has an id, a reason and a way out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connection

from jobs.tool_discovery import search_path
from synops.llm.endpoint import endpoint_of
from synops.llm.failures import NotUsable
from synops.store.files import StoreRefused
from synops.store.remote import RemoteStore

OLDEST_POSTGRESQL = 150000
SHORTEST_SECRET = 32


@register(Tags.database)
def check_postgresql(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """synops.E001: an older server lacks what the statements use."""
    if not databases or "default" not in databases:
        return []
    try:
        connection.ensure_connection()
    except DatabaseError:
        return []  # said by whoever connects
    version = connection.connection.info.server_version
    if version >= OLDEST_POSTGRESQL:
        return []
    return [
        Error(
            f"The database is PostgreSQL {version // 10000}.",
            hint="Synops needs PostgreSQL 15 or newer: upgrade the server, or unset DATABASE_URL to use the embedded one.",
            id="synops.E001",
        )
    ]


@register()
def check_liveness(**_: Any) -> list[CheckMessage]:
    """synops.E002, E003: a worker that beats too seldom is taken for dead while it works."""
    found: list[CheckMessage] = []
    if settings.HEARTBEAT_SECONDS <= 0 or settings.HEARTBEAT_SECONDS > settings.WORKER_TTL_SECONDS / 3:
        found.append(
            Error(
                f"HEARTBEAT_SECONDS is {settings.HEARTBEAT_SECONDS:g} and WORKER_TTL_SECONDS is "
                f"{settings.WORKER_TTL_SECONDS:g}.",
                hint="A worker must be able to miss two beats: keep HEARTBEAT_SECONDS at most a third of the TTL.",
                id="synops.E002",
            )
        )
    if settings.SWEEP_SECONDS <= 0:
        found.append(Error("SWEEP_SECONDS is not positive.", hint="Its default is 10.", id="synops.E003"))
    return found


@register()
def check_weights(**_: Any) -> list[CheckMessage]:
    """synops.E004, E005: a budget that nothing fits into, or that a live call eats up."""
    found: list[CheckMessage] = []
    if settings.MAX_TOTAL_WEIGHT < 1:
        found.append(Error("MAX_TOTAL_WEIGHT is below 1.", hint="Its default is 8.", id="synops.E004"))
    elif not 0 <= settings.LIVE_CALL_WEIGHT < settings.MAX_TOTAL_WEIGHT:
        found.append(
            Error(
                f"LIVE_CALL_WEIGHT is {settings.LIVE_CALL_WEIGHT}, MAX_TOTAL_WEIGHT {settings.MAX_TOTAL_WEIGHT}.",
                hint="While a call is on, something must still fit: LIVE_CALL_WEIGHT from 0 to below MAX_TOTAL_WEIGHT.",
                id="synops.E005",
            )
        )
    return found


@register()
def check_recipes(**_: Any) -> list[CheckMessage]:
    """synops.E013: limits of recipes that would let nothing through."""
    wrong = {
        "EVENT_SETTLE_SECONDS": (settings.EVENT_SETTLE_SECONDS < 0, "5"),
        "MAX_CASCADE_DEPTH": (settings.MAX_CASCADE_DEPTH < 1, "10"),
        "DRAFT_TIMEOUT_SECONDS": (settings.DRAFT_TIMEOUT_SECONDS <= 0, "180"),
    }
    return [
        Error(
            f"{name} is {getattr(settings, name):g}, which is too small.",
            hint=f"Its default is {default}.",
            id="synops.E013",
        )
        for name, (is_wrong, default) in wrong.items()
        if is_wrong
    ]


@register()
def check_secret_key(**_: Any) -> list[CheckMessage]:
    """synops.W006: a short or simple key lets sessions be forged."""
    key = settings.SECRET_KEY
    if len(key) >= SHORTEST_SECRET and len(set(key)) >= 8:
        return []
    return [
        Warning(
            "SECRET_KEY is short or simple.",
            hint="Unset it (a strong one is generated into SYNOPS_VAR/secret-key), or use 50 random characters.",
            id="synops.W006",
        )
    ]


@register()
def check_app_order(**_: Any) -> list[CheckMessage]:
    """synops.E007: Channels ships a `runworker` of its own, and the first app wins."""
    apps = list(settings.INSTALLED_APPS)
    if "channels" not in apps or ("jobs" in apps and apps.index("jobs") < apps.index("channels")):
        return []
    return [
        Error(
            "`jobs` stands behind `channels` in INSTALLED_APPS, so manage.py runworker is Channels'.",
            hint="Put `jobs` before `channels`.",
            id="synops.E007",
        )
    ]


@register()
def check_folders(**_: Any) -> list[CheckMessage]:
    """synops.E008: folders that the program writes to."""
    return [finding for name in ("STORE_DIR", "PUBLISH_DIR") if (finding := folder_problem(name))]


def folder_problem(name: str) -> CheckMessage | None:
    """What keeps files from being written below this setting's folder; a missing one is made when it is needed."""
    folder = Path(getattr(settings, name))
    existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
    if existing and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return None
    return Error(
        f"{name} is {folder}, which can't be written to.",
        hint=f"Make {existing or folder} a folder that this user may write to, or set {name} to another one.",
        id="synops.E008",
    )


@register()
def check_language_model(**_: Any) -> list[CheckMessage]:
    """synops.E011: settings of the language model that no call could use."""
    try:
        endpoint = endpoint_of(os.environ)
        if endpoint:
            endpoint.model()
    except NotUsable as wrong:
        return [Error(str(wrong), hint="Correct it, or unset SYNOPS_LLM_BASE_URL.", id="synops.E011")]
    return []


@register()
def check_remote_store(**_: Any) -> list[CheckMessage]:
    """synops.E012: a store on another machine that can't be reached with what is set."""
    if not settings.STORE_URL:
        return []
    if urlsplit(settings.STORE_URL).scheme not in ("http", "https"):
        return [
            Error(
                f"STORE_URL is {settings.STORE_URL}.",
                hint="It is the web server's address: https://synops.example.org.",
                id="synops.E012",
            )
        ]
    try:
        RemoteStore.from_settings({**os.environ, "STORE_URL": settings.STORE_URL})
    except StoreRefused as refused:
        return [Error(f"{refused}.", hint="Make a token on the web server: manage.py create_token.", id="synops.E012")]
    return []


@register()
def check_tools(**_: Any) -> list[CheckMessage]:
    """synops.W009, W010: without programs on the path every job waits for ever."""
    found: list[CheckMessage] = [
        Warning(
            f"SYNOPS_TOOLS_PATH names {folder}, which is no folder.",
            hint="Correct it; folders are separated by colons.",
            id="synops.W009",
        )
        for folder in filter(None, settings.SYNOPS_TOOLS_PATH.split(os.pathsep))
        if not Path(folder).is_dir()
    ]
    folders = search_path({**os.environ, "SYNOPS_TOOLS_PATH": settings.SYNOPS_TOOLS_PATH})
    if shutil.which("synops-checksum", path=os.pathsep.join(map(str, folders))) is None:
        found.append(
            Warning(
                "The tools that ship with Synops are not on the tool path.",
                hint="Run `make install` (pip install -e .) with the Python that runs this, then manage.py sync_tools.",
                id="synops.W010",
            )
        )
    return found
