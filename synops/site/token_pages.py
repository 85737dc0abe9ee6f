"""API tokens in the admin: a person's own are listed, made and revoked; a superuser sees everybody's.

The secret stands on the page that answers the form and nowhere else: not in the session, a message, the history or a log.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from synops.graph.admin.bases import ReadOnly, VisibleAdmin, person
from synops.graph.admin.rendering import badge, brief, moment
from synops.site.models import ApiToken
from synops.site.token_form import TokenForm
from synops.site.tokens import revoke

SHOWN = ("name", "shown_state", "shown_scopes", "owner", "collection", "created", "used", "ends")


def state_of(token: Any) -> tuple[str, Any]:
    """Code and label of a token's badge; `expired` is the database's clock's."""
    if token.revoked_at is not None:
        return "cancelled", _("revoked")
    if not token.owner.is_active:
        return "failed", _("owner can't log in")
    return ("timed_out", _("expired")) if token.expired else ("succeeded", _("valid"))


class TokenAdmin(ReadOnly, VisibleAdmin):
    """Tokens are made and revoked, never changed or deleted: who had access when must stay known."""

    list_display = SHOWN
    list_select_related = ("owner", "collection")
    sortable_by = ()
    search_fields = ("name", "owner__username")
    search_help_text = _("Name or owner")
    actions = ("revoke_selected",)
    fields = ("name", "shown_state", "shown_scopes", "owner", "collection", "made", "last_used", "end", "revoked")
    change_form_template = "admin/site/apitoken/token.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        over = ExpressionWrapper(Q(expires_at__isnull=False, expires_at__lte=Now()), output_field=BooleanField())
        rows: QuerySet[Any] = super().get_queryset(request).annotate(expired=over)
        return rows

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("site.add_apitoken"))

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("site.revoke_apitoken"))

    # Making one

    @sensitive_variables("secret", "hook")
    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """The form, and the answer that shows the secret. It is the answer itself: a redirect would have to keep it."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TokenForm(person(request), request.POST if request.method == "POST" else None)
        if request.method != "POST" or not form.is_valid():
            return self._page(request, "new", title=_("New API token"), form=form)
        with transaction.atomic():
            token, secret = form.create()
            LogEntry.objects.log_actions(person(request).pk, [token], ADDITION, f"scopes: {', '.join(token.scopes)}")
        hook = f"{settings.SITE_URL}/hooks/{secret}" if ApiToken.Scope.HOOKS in token.scopes else ""
        return self._page(request, "made", title=_("The new API token"), token=token, secret=secret, hook=hook)

    def _page(self, request: HttpRequest, name: str, **context: Any) -> HttpResponse:
        common = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, f"admin/site/apitoken/{name}.html", {**common, **context})

    # Ending some

    @admin.action(permissions=["revoke"], description=_("Revoke"))
    def revoke_selected(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> HttpResponse | None:
        """Asks first; programs that use them are refused from the next request on."""
        chosen = list(queryset.filter(revoked_at__isnull=True))
        if chosen and "confirm" not in request.POST:
            return self._page(
                request,
                "revoke",
                title=_("Revoke"),
                chosen=chosen,
                action_checkbox_name=ACTION_CHECKBOX_NAME,
                selected=request.POST.getlist(ACTION_CHECKBOX_NAME),
                select_across=request.POST.get("select_across", "0"),
            )
        self._revoke(request, chosen)
        return None

    def revoke_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The button of a token's page."""
        token = self.get_object(request, object_id)
        if token is None or not self.has_revoke_permission(request):
            raise PermissionDenied
        if "confirm" not in request.POST:
            return self._page(request, "revoke", title=_("Revoke"), chosen=[token])
        self._revoke(request, [token])
        return HttpResponseRedirect(reverse("admin:site_apitoken_changelist"))

    def _revoke(self, request: HttpRequest, chosen: list[ApiToken]) -> None:
        with transaction.atomic():
            ended = [token for token in chosen if revoke(token.pk)]
            if ended:
                LogEntry.objects.log_actions(person(request).pk, ended, CHANGE, gettext_noop("Revoked."))
        said = ngettext("%(count)d token revoked.", "%(count)d tokens revoked.", len(ended)) % {"count": len(ended)}
        self.message_user(request, said, messages.SUCCESS if ended else messages.WARNING)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        token = self.get_object(request, object_id)
        revocable = token is not None and token.revoked_at is None and self.has_revoke_permission(request)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "revocable": revocable})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.revoke_view))
        return [path("<uuid:object_id>/revoke/", view, name="site_apitoken_revoke"), *super().get_urls()]

    # What is shown

    @admin.display(description=_("state"))
    def shown_state(self, token: ApiToken) -> SafeString:
        return badge(*state_of(token))

    @admin.display(description=_("scopes"))
    def shown_scopes(self, token: ApiToken) -> SafeString:
        labels = dict(ApiToken.Scope.choices)
        return format_html_join("", "<div><code>{}</code> {}</div>", ((one, labels[one]) for one in token.scopes))

    @admin.display(description=_("created"))
    def created(self, token: ApiToken) -> str:
        return brief(token.created_at)

    @admin.display(description=_("last used"))
    def used(self, token: ApiToken) -> Any:
        return brief(token.last_used_at) if token.last_used_at else _("never")

    @admin.display(description=_("expires"))
    def ends(self, token: ApiToken) -> Any:
        return brief(token.expires_at) if token.expires_at else _("never")

    @admin.display(description=_("created"))
    def made(self, token: ApiToken) -> str:
        return moment(token.created_at)

    @admin.display(description=_("last used"))
    def last_used(self, token: ApiToken) -> Any:
        return moment(token.last_used_at) if token.last_used_at else _("never")

    @admin.display(description=_("expires"))
    def end(self, token: ApiToken) -> Any:
        return moment(token.expires_at) if token.expires_at else _("never")

    @admin.display(description=_("revoked"))
    def revoked(self, token: ApiToken) -> str:
        return moment(token.revoked_at)
