"""A service's way into the case pipeline: run a case anew."""

from __future__ import annotations

from django.db import connection, transaction
from django.utils.translation import gettext as _

from jobs.pipelines import AlreadyOpen
from jobs.pipelines.cases.opening import UnknownCase, reanalyse
from synops.site.api.endpoint import Answer, Call
from synops.site.api.problems import Problem


def reanalyze(call: Call) -> Answer:
    """Open a run by hand; 409 while one is queued or running for the case, decided by the database alone."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            unit = reanalyse(cursor, call.body["case"], call.body.get("force", False))
    except UnknownCase as error:
        raise Problem(404, "unknown_case", str(error)) from error
    except AlreadyOpen as error:
        detail = _("A run of this case is queued or running already.")
        raise Problem(409, "already_open", detail) from error
    return Answer({"case": unit.unit, "generation": unit.generation}, status=202)
