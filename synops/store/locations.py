"""Where files live, from the environment alone, so that a tool run by hand and the web server agree without Django."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
DEFAULT_SITE_URL = "http://127.0.0.1:8000"
DEFAULT_TIME_ZONE = "Europe/Oslo"


def var_dir(environ: Mapping[str, str]) -> Path:
    """Everything that a running installation writes: SYNOPS_VAR, or `var/` in the project."""
    return Path(environ.get("SYNOPS_VAR") or PROJECT / "var")


def store_dir(environ: Mapping[str, str]) -> Path:
    """The root of the file store: STORE_DIR, or `store/` under SYNOPS_VAR."""
    return Path(environ.get("STORE_DIR") or var_dir(environ) / "store")


def cases_dir(environ: Mapping[str, str]) -> Path:
    """Extractors, rule sets and the lock file of the case pipeline: CASES_DIR, or those that ship with it."""
    return Path(environ.get("CASES_DIR") or PROJECT / "jobs" / "pipelines" / "cases" / "shipped")


def publish_dir(environ: Mapping[str, str]) -> Path:
    """The folder that strangers may read: PUBLISH_DIR, or `public/` under SYNOPS_VAR."""
    return Path(environ.get("PUBLISH_DIR") or var_dir(environ) / "public")


def publish_url(environ: Mapping[str, str]) -> str:
    """The address of `publish_dir`, without a slash at its end: PUBLISH_URL, or `/public` under SITE_URL."""
    site = (environ.get("SITE_URL") or DEFAULT_SITE_URL).rstrip("/")
    return (environ.get("PUBLISH_URL") or f"{site}/public").rstrip("/")
