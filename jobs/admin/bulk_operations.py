"""Bulk operations in the admin: what is under way, how far it has come, what came of it, and a button that stops it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from jobs.bulk.beginning import told
from jobs.display import Shown
from jobs.models import BulkOperation
from jobs.operations import OPERATIONS
from synops.graph.admin.bases import ReadOnly, VisibleAdmin, person
from synops.graph.admin.rendering import NOTHING, badge, brief, moment, written


def state_of(bulk: BulkOperation) -> tuple[str, Any]:
    """Code and label of the badge."""
    if bulk.finished_at is None:
        if bulk.stop_requested_at is not None:
            return "cancelling", _("being stopped")
        return ("running", _("under way")) if bulk.started_at else ("pending", _("waits for a worker"))
    if bulk.error:
        return "failed", _("ended by an error")
    return ("cancelled", _("stopped")) if bulk.stop_requested_at is not None else ("succeeded", _("done"))


class BulkOperationAdmin(ReadOnly, VisibleAdmin):
    """A person's own, or all for superusers. They begin in the job list, with “select everything that the filter finds”."""

    list_display = ("what", "shown_state", "user", "progress", "shown_changed", "asked", "ended")
    list_display_links = ("what",)
    list_select_related = ("user",)
    sortable_by = ()
    fields = (
        "what", "shown_state", "user", "which", "progress", "shown_changed", "shown_skipped", "shown_error",
        "asked_at", "begun_at", "ended_at",
    )  # fmt: skip
    change_form_template = "admin/jobs/bulkoperation/bulk.html"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees jobs sees what they themselves have asked for."""
        return request.user.has_perm("jobs.view_job") or bool(super().has_view_permission(request, obj))

    def has_stop_permission(self, request: HttpRequest, bulk: BulkOperation) -> bool:
        """The right to the operation itself."""
        return bulk.finished_at is None and request.user.has_perm(OPERATIONS[bulk.operation].permission)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        bulk = self.get_object(request, object_id)
        stoppable = bulk is not None and bulk.stop_requested_at is None and self.has_stop_permission(request, bulk)
        title = {"title": self.what(bulk), "subtitle": None} if bulk else {}
        context = {**title, **(extra_context or {}), "stoppable": stoppable}
        return super().change_view(request, object_id, form_url, context)

    def stop_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Asks the workers to leave off before the next piece."""
        bulk = self.get_object(request, object_id)
        if bulk is None or not self.has_view_permission(request) or not self.has_stop_permission(request, bulk):
            raise PermissionDenied
        with transaction.atomic():
            BulkOperation.objects.filter(pk=bulk.pk, finished_at__isnull=True).update(stop_requested_at=Now())
            LogEntry.objects.log_actions(person(request).pk, [bulk], CHANGE, gettext_noop("Asked to stop."))
        self.message_user(request, _("It stops before the next thousand jobs."), messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:jobs_bulkoperation_change", args=[bulk.pk]))

    def get_urls(self) -> list[URLPattern]:
        stop = self.admin_site.admin_view(require_POST(self.stop_view))
        return [path("<uuid:object_id>/stop/", stop, name="jobs_bulkoperation_stop"), *super().get_urls()]

    @admin.display(description=_("operation"))
    def what(self, bulk: BulkOperation) -> str:
        button, value = str(OPERATIONS[bulk.operation].button), told(bulk.value)
        if value is None:
            return button
        return f"{button}: {written(localtime(value), 'j M Y H:i') if isinstance(value, datetime) else value}"

    @admin.display(description=_("state"))
    def shown_state(self, bulk: BulkOperation) -> SafeString:
        return badge(*state_of(bulk))

    @admin.display(description=_("jobs"))
    def which(self, bulk: BulkOperation) -> SafeString | str:
        if bulk.job_ids is not None:
            return gettext("Chosen groups of failures")
        query = QueryDict(mutable=True)
        query.update(bulk.filters)
        text = ", ".join(f"{name} = {value}" for name, value in bulk.filters.items()) or gettext("all")
        return format_html('<a href="{}?{}">{}</a>', reverse("admin:jobs_job_changelist"), query.urlencode(), text)

    @admin.display(description=_("gone through"))
    def progress(self, bulk: BulkOperation) -> SafeString:
        """Numbers beside a bar, whose values are plain integers in every language."""
        return format_html(
            '<progress max="{}" value="{}"></progress> {}',
            str(max(bulk.total, 1)),
            str(min(bulk.seen, bulk.total)),
            gettext("%(seen)s of %(total)s") % {"seen": grouped(bulk.seen), "total": grouped(bulk.total)},
        )

    @admin.display(description=_("changed"))
    def shown_changed(self, bulk: BulkOperation) -> str:
        return grouped(bulk.changed)

    @admin.display(description=_("skipped because"))
    def shown_skipped(self, bulk: BulkOperation) -> SafeString | str:
        lines = ((grouped(count), Shown(state).label) for state, count in sorted(bulk.skipped.items()))
        return format_html_join("", "<div>{} {}</div>", lines) or NOTHING

    @admin.display(description=_("error"))
    def shown_error(self, bulk: BulkOperation) -> str:
        return bulk.error or NOTHING

    @admin.display(description=_("asked for"))
    def asked(self, bulk: BulkOperation) -> str:
        return brief(bulk.created_at)

    @admin.display(description=_("ended"))
    def ended(self, bulk: BulkOperation) -> str:
        return brief(bulk.finished_at)

    @admin.display(description=_("asked for"))
    def asked_at(self, bulk: BulkOperation) -> str:
        return moment(bulk.created_at)

    @admin.display(description=_("begun"))
    def begun_at(self, bulk: BulkOperation) -> str:
        return moment(bulk.started_at)

    @admin.display(description=_("ended"))
    def ended_at(self, bulk: BulkOperation) -> str:
        return moment(bulk.finished_at)


def grouped(count: int) -> str:
    """“4 990 000”, in the way of the page's language."""
    return number_format(count, use_l10n=True, force_grouping=True)
