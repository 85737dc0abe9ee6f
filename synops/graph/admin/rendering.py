"""How times, states, durations and JSON look on a page. Everything that comes from outside is escaped here."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import Any

from django.template.defaultfilters import date as format_date
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

MOMENT_FORMAT = "j M Y H:i:s"
NOTHING = "–"
LONGEST_JSON = 100_000


def written(local: date, style: str) -> str:
    """A day or a time in a date format of Django's as English has it; Norwegian writes “30. nov” for “30 Nov”."""
    norwegian = (get_language() or "").startswith("n")
    return format_date(local, style.replace("j M", "j. b") if norwegian else style)


def day(value: date) -> str:
    """A day in a table or a sentence."""
    return written(value, "j M Y")


def hour(value: datetime) -> str:
    """Day and clock in the site's zone, for a table of many days or a sentence."""
    return written(localtime(value), "j M H:i")


def moment(value: datetime | None, field: str = "") -> SafeString | str:
    """A time in the site's zone, with the exact one for machines. `field` names the cell for the live view."""
    if value is None:
        return format_html('<time data-field="{}">{}</time>', field, NOTHING) if field else NOTHING
    local = localtime(value)
    shown = written(local, MOMENT_FORMAT)
    if field:
        return format_html('<time datetime="{}" data-field="{}">{}</time>', local.isoformat(), field, shown)
    return format_html('<time datetime="{}">{}</time>', local.isoformat(), shown)


def brief(value: datetime | None) -> SafeString | str:
    """A time in a list: the clock for today, the date for the rest; the whole of it on hover and for machines."""
    if value is None:
        return NOTHING
    local, today = localtime(value), localtime()
    if local.date() == today.date():
        shown = written(local, "H:i:s")
    else:
        shown = written(local, "j M H:i" if local.year == today.year else "j M Y")
    whole = written(local, MOMENT_FORMAT)
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(), whole, shown)


def badge(code: str, label: object, field: str = "") -> SafeString:
    """A state as text; its class adds an icon and a colour."""
    if field:
        return format_html('<span class="state state-{}" data-field="{}">{}</span>', code, field, label)
    return format_html('<span class="state state-{}">{}</span>', code, label)


def duration(span: timedelta | None) -> str:
    """“0.42 s”, “12 s”, “3 min 5 s”, “2 h 10 min”; the decimal separator is the language's."""
    if span is None:
        return NOTHING
    seconds = max(span.total_seconds(), 0)
    if seconds < 10:
        return _("%(seconds)s s") % {"seconds": decimal(seconds)}
    if seconds < 60:
        return _("%(seconds)s s") % {"seconds": int(seconds)}
    minutes = int(seconds // 60)
    if minutes < 60:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": int(seconds % 60)}
    return _("%(hours)s h %(minutes)s min") % {"hours": minutes // 60, "minutes": minutes % 60}


def decimal(value: float) -> str:
    """Two significant digits in the language of the page."""
    from django.utils.formats import number_format

    return number_format(round(value, 2 if value < 1 else 1), use_l10n=True)


def size(number_of_bytes: int) -> str:
    """Bytes for people, in the units of disks and the language of the page."""
    from django.template.defaultfilters import filesizeformat

    return filesizeformat(number_of_bytes)


def pretty(value: Any) -> str:
    """JSON as a person reads it, cut where a page would become useless. Integers of any size stay exact."""
    if value is None:
        return NOTHING
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    if len(text) <= LONGEST_JSON:
        return text
    cut = _("… cut after %(shown)d of %(total)d characters") % {"shown": LONGEST_JSON, "total": len(text)}
    return f"{text[:LONGEST_JSON]}\n{cut}"


def json_block(value: Any) -> SafeString | str:
    """JSON in a block that scrolls by itself."""
    if value is None:
        return NOTHING
    return format_html('<pre class="json" tabindex="0">{}</pre>', pretty(value))
