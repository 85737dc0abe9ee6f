"""The source that CASES_SOURCE names: a folder, or the address of an HTTP service."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from synops.store.locations import var_dir
from synops.tools.failures import NotConfigured
from synops.tools.sources.protocol import CaseSource

SETTINGS = ("CASES_SOURCE", "SYNOPS_VAR", "SSL_CERT_FILE")
SECRETS = ("CASES_SOURCE_TOKEN",)


def source_of(environ: Mapping[str, str]) -> CaseSource:
    """The configured source; by default the folder `cases/` under SYNOPS_VAR. Raises NotConfigured."""
    named = environ.get("CASES_SOURCE", "").strip()
    if named.startswith(("http://", "https://")):
        from synops.tools.sources.http import HttpSource

        return HttpSource(named, environ.get("CASES_SOURCE_TOKEN", "").strip())
    from synops.tools.sources.folder import FolderSource

    folder = Path(named) if named else var_dir(environ) / "cases"
    if not (folder / "cases").is_dir():
        raise NotConfigured(
            f"there is no source of cases: {folder} has no folder `cases`. Set CASES_SOURCE to a folder of cases or to "
            "the address of a case service (docs/cases.md)"
        )
    return FolderSource(folder)
