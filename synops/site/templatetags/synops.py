"""Tags of our own templates: times, rows with their objects, the language that is not on, what live.js needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_info
from django.utils.translation import gettext as _

from jobs.display import Shown
from orchestration.models import Orchestration, Run
from orchestration.states import RunStatus, StepState
from synops.graph.admin import rendering
from synops.graph.kinds import in_words

register = template.Library()

OWN_PAGES = {
    "orchestration": "admin:orchestration_orchestration_change",
    "work_item": "admin:orchestration_workitem_change",
}


@register.filter
def kind(node_kind: str) -> str:
    """A node's kind in words."""
    return in_words(node_kind)


@register.filter
def moment(value: datetime | None, field: str = "") -> SafeString | str:
    """A time as <time>; `field` names the cell for the live view."""
    return rendering.moment(value, field)


@register.filter
def span(value: timedelta | float | None) -> str:
    """How long, in words; a number is seconds."""
    return rendering.duration(timedelta(seconds=value) if isinstance(value, int | float) else value)


@register.filter
def brief(value: datetime | None) -> SafeString | str:
    """A time in a list."""
    return rendering.brief(value)


@register.filter
def hour(value: datetime) -> str:
    """Day and clock, for a table of many days or a sentence."""
    return rendering.hour(value)


@register.filter
def day(value: date) -> str:
    """A day."""
    return rendering.day(value)


@register.filter
def size(value: int) -> str:
    """Bytes for people."""
    return rendering.size(value)


@register.simple_tag
def chart(name: str, data: Any, **options: Any) -> SafeString:
    """What charts.js draws from: the points, and the words and lines beside them, as data."""
    return json_script({"data": data, **options}, f"chart-{name}")


@register.simple_tag
def badge(code: str, label: object, field: str = "") -> SafeString:
    """A state as text with an icon and a colour."""
    return rendering.badge(code, label, field)


@register.filter
def rounded(count: int) -> str:
    """An estimate with the digits that it deserves, grouped: “4 990 000”."""
    digits = max(len(str(count)) - 3, 0)
    return f"{round(count, -digits):,}".replace(",", "\N{NO-BREAK SPACE}")


@register.simple_tag(takes_context=True)
def run_of(context: Any, job: Any) -> dict[str, Any]:
    """The run that a job belongs to, and its recipe, as far as the reader may see them; the queue knows only an id."""
    user = context["request"].user
    run = Run.objects.visible_to(user).filter(pk=job.run_id).defer("compiled").first() if job.run_id else None
    if run is None:
        return {}
    recipe = Orchestration.objects.visible_to(user).filter(pk=run.orchestration_id).first()
    return {"title": run.title, "recipe": recipe}


@register.simple_tag
def operation_url(name: str, job_id: Any) -> str:
    """Where an operation on one job is asked for."""
    return reverse(f"admin:jobs_job_{name}", args=[job_id])


@register.simple_tag
def node_url(node: Any) -> str:
    """The page where something is done with a node: recipes and work items have one of their own."""
    return reverse(OWN_PAGES.get(node.node_kind, "admin:graph_node_change"), args=[node.pk])


@register.filter
def with_objects(results: Iterable[Any], rows: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The cells of each row of a change list together with the object, which Django's own template does not have."""
    return zip(results, rows, strict=False)


@register.simple_tag
def other_languages() -> list[dict[str, Any]]:
    """The languages that the page is not in."""
    return [get_language_info(code) for code, _name in settings.LANGUAGES if code != get_language()]


@register.simple_tag
def live_config(**page: Any) -> SafeString:
    """What live.js needs, as data: the policy allows no inline script. Keyword arguments add to it."""
    config = {
        "socket": "/live/",
        "rows": reverse("admin:live"),
        "now": timezone.now().isoformat(),
        "language": get_language(),
        "timeZone": timezone.get_current_timezone_name(),
        "states": {state.value: str(state.label) for state in (*StepState, *RunStatus, *Shown)},
        "texts": texts(),
        **page,
    }
    return json_script(config, "live-config")


def texts() -> dict[str, str]:
    """The sentences that live.js shows, in the language of the page."""
    return {
        "live": _("Live"),
        "polling": _("Updating every 5 seconds"),
        "paused": _("Paused: data from %(time)s"),
        "signedOut": _("You have been signed out. Load the page again."),
        "one": _("Show 1 new"),
        "many": _("Show %(count)s new"),
        "changed": _("The page has been updated."),
        "seconds": _("%(seconds)s s"),
        "minutes": _("%(minutes)s min %(seconds)s s"),
        "hours": _("%(hours)s h %(minutes)s min"),
    }


@register.filter
def clock(milliseconds: int) -> str:
    """A place in a recording: 1:02:03."""
    seconds = milliseconds // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
