"""`manage.py check` of the case pipeline's settings: each finding has an id, a reason and a way out."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from synops.tools.case_lock import NAME, Analyzers, read_lock
from synops.tools.documents.extractors import load_extractor
from synops.tools.failures import NotConfigured
from synops.tools.rules.rule_sets import load_rule_set


@register()
def check_source(**_: Any) -> list[CheckMessage]:
    """synops.E034: an address of a case service that is none, or would send the token in the clear."""
    address, parts = settings.CASES_SOURCE, urlsplit(settings.CASES_SOURCE)
    if "://" not in address:
        return []
    if parts.scheme not in ("http", "https") or not parts.hostname:
        hint = "It is a folder, or an address such as https://cases.example.no/api."
        return [Error(f"CASES_SOURCE is {address}.", hint=hint, id="synops.E034")]
    if (
        parts.scheme == "http"
        and settings.CASES_SOURCE_TOKEN
        and parts.hostname not in ("127.0.0.1", "localhost", "::1")
    ):
        hint = "Use https, or leave the token away."
        return [Error("CASES_SOURCE would be sent the token without encryption.", hint=hint, id="synops.E034")]
    return []


@register()
def check_analyzers(**_: Any) -> list[CheckMessage]:
    """synops.E035: a lock file that can't be read, or that names an extractor or a rule set that is not there."""
    try:
        lock = read_lock(settings.CASES_DIR)
    except NotConfigured as error:
        hint = f"Set CASES_DIR to a folder with {NAME}, extractors and rule_sets, or unset it."
        return [Error(f"{error}.", hint=hint, id="synops.E035")]
    return [finding for scheme, analyzers in lock.items() if (finding := _problem(scheme, analyzers)) is not None]


def _problem(scheme: str, analyzers: Analyzers) -> CheckMessage | None:
    try:
        load_extractor(settings.CASES_DIR, analyzers.extractor)
        load_rule_set(settings.CASES_DIR, analyzers.rule_set)
    except NotConfigured as error:
        return Error(f"{NAME}, scheme {scheme}: {error}", hint="Correct the entry, or add the file.", id="synops.E035")
    return None
