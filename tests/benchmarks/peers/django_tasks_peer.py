"""django-tasks-db with connections that last: the default opens one a job, which costs ten times as much."""

from __future__ import annotations

import os
from urllib.parse import parse_qs, urlsplit

import django
from django.conf import settings

parts = urlsplit(os.environ["BENCH_URL"])
settings.configure(
    SECRET_KEY="x" * 50,
    USE_TZ=True,
    INSTALLED_APPS=["django.contrib.contenttypes", "django_tasks", "django_tasks_db"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": parts.path.lstrip("/"),
            "USER": parts.username,
            "HOST": parse_qs(parts.query)["host"][0],
            "PORT": parse_qs(parts.query).get("port", [str(parts.port or 5432)])[0],
            "CONN_MAX_AGE": 3600,
        }
    },
    TASKS={"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default"]}},
    LOGGING={"version": 1, "root": {"level": "ERROR"}, "loggers": {"django_tasks": {"level": "ERROR"}}},
)
django.setup()

from django.core.management import call_command  # noqa: E402 (Django must be set up first)
from django.db import transaction  # noqa: E402
from django_tasks_job import noop  # noqa: E402
from program import System, main  # noqa: E402


class DjangoTasks(System):
    def setup(self) -> None:
        call_command("migrate", verbosity=0)

    def open(self) -> None:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

    def send(self, sent: float) -> None:
        noop.enqueue(sent)

    def send_batch(self, count: int) -> None:
        """It has no call for many: singles in one transaction."""
        with transaction.atomic():
            for _ in range(count):
                noop.enqueue(0.0)

    def work(self) -> None:
        call_command("db_worker", "--interval", "1", "--no-startup-delay", "--no-reload")


if __name__ == "__main__":
    main(DjangoTasks())
