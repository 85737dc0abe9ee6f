"""The codes that the case tables hold, with their words. The same codes as in synops/tools/rules/verdicts.py (tested)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _


class Decision(TextChoices):
    """What the verdicts of the required rules come to."""

    APPROVED = "approved", _("approved")
    REJECTED = "rejected", _("not approved")
    UNCLEAR = "unclear", _("unclear")


class Verdict(TextChoices):
    """What one rule came to."""

    MET = "met", _("met")
    NOT_MET = "not_met", _("not met")
    UNKNOWN = "unknown", _("unknown")
    ERROR = "error", _("error in the rule")
    TIMED_OUT = "timed_out", _("timed out")


# The kinds of the shipped extractor; those of another have their code for a name.
KINDS: dict[str, Any] = {
    "application": _("application"),
    "invoice": _("invoice"),
    "offer": _("offer"),
    "energy_certificate": _("energy certificate"),
    "decision": _("decision letter"),
    "email": _("e-mail"),
    "unknown": _("unknown kind"),
}

REASONS: dict[str, Any] = {
    "failed:fetch": _("the documents could not be fetched"),
    "failed:extract": _("not one document could be read"),
    "failed:evaluate": _("the rules could not be evaluated"),
    "none:extract": _("the case has no documents"),
    "excluded:fetch": _("the source withholds the case"),
    "excluded:extract": _("every document says that it may not be read"),
}

FACTS: dict[str, Any] = {
    "applicant": _("applicant"),
    "applied_on": _("applied on"),
    "applied_amount": _("amount applied for"),
    "measure": _("measure"),
    "invoice_number": _("invoice number"),
    "invoice_date": _("invoice date"),
    "invoice_total": _("invoice total"),
    "heat_pump_model": _("heat pump model"),
    "organisation_number": _("organisation number"),
    "certificate_number": _("certificate number"),
    "certificate_date": _("certificate date"),
    "energy_grade": _("energy grade"),
    "heated_area": _("heated area"),
    "offer_total": _("offer total"),
    "offer_date": _("offer date"),
    "valid_until": _("valid until"),
    "decided_on": _("decided on"),
    "granted_amount": _("granted amount"),
    "sender": _("sender"),
    "sent_on": _("sent on"),
    "subject": _("subject"),
    "attachments": _("attachments"),
    "withdrawn": _("withdrawn"),
}


def in_language(texts: Mapping[str, str], otherwise: str) -> str:
    """The text in the reader's language, else the Norwegian one."""
    return texts.get((get_language() or "nb")[:2]) or texts.get("nb") or otherwise
