"""How far back a page of figures looks."""

from __future__ import annotations

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

SPANS = ((1, _("last hour")), (24, _("last 24 hours")), (168, _("last 7 days")))


def hours_of(data: QueryDict) -> int:
    """The chosen span in hours; a day when none, or none that there is, was chosen."""
    known = {str(hours): hours for hours, _label in SPANS}
    return known.get(data.get("hours", ""), 24)
