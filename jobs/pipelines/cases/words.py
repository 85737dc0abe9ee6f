"""The codes that the case tables hold, with their words. The same codes as in synops/tools/rules/verdicts.py (tested)."""

from __future__ import annotations

from django.db.models import TextChoices
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
