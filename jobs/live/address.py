"""Which database the live view talks to: the one Django uses, past any pooler."""

from __future__ import annotations

import os

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

NOT_FOR_LIBPQ = ("cursor_factory", "context", "prepare_threshold", "pool", "isolation_level", "server_side_binding")


def direct_conninfo() -> str:
    """A libpq connection string for LISTEN and NOTIFY, which PgBouncer in transaction mode does not carry.

    Django's own parameters are asked for rather than the URL: under test they name the test's database.
    """
    if os.environ.get("DATABASE_DIRECT_URL"):
        return str(settings.DATABASE_DIRECT_URL)
    parameters = {k: v for k, v in connection.get_connection_params().items() if k not in NOT_FOR_LIBPQ}
    parameters.pop("application_name", None)
    return make_conninfo(**parameters)
