"""A tool that needs Django: what a program costs whose imports take far longer than its work. No tool of ours does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import django
from django.apps import apps
from django.conf import settings

from synops.tools.describe import Description
from synops.tools.program import run

if TYPE_CHECKING:
    from synops.tools.call import Call

NAME = "synops-bench-django"
DESCRIPTION = Description(
    name=NAME, version="1.0.0", description={"en": "Counts models."}, job_types=("bench_django",), preload=True
)

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "never-opened"}},
    INSTALLED_APPS=[f"django.contrib.{app}" for app in ("admin", "auth", "contenttypes", "messages", "sessions")],
)
django.setup()


def work(_call: Call) -> dict[str, Any]:
    return {"models": len(apps.get_models())}


def main() -> int:
    return run(DESCRIPTION, work)
