"""What the site itself keeps: tokens that let programs in, of which only a hash is kept, and what people prefer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from synops.graph.access import only_own
from synops.graph.columns import DatabaseNow, new_id
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Tokens, and which of them a person may see and end."""

    def visible_to(self, user: Viewer) -> Self:
        """A person's own; all for a superuser."""
        return only_own(self, user, "owner_id")


class ApiToken(models.Model):
    """A secret that a program shows instead of a login, limited to scopes. Made and checked in `synops.site.tokens`.

    It acts for `owner`: it may do what its scopes allow and its owner may do, and it ends with the owner's login.
    """

    class Scope(models.TextChoices):
        STORE = "store", _("read and add stored files")
        PIPELINE = "pipeline", _("start analyses again")
        JOBS = "jobs", _("enqueue and follow jobs")
        HOOKS = "hooks", _("enqueue into one collection by its address")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.TextField(_("name"), help_text=_("What or who uses it."))
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.TextField(choices=Scope.choices), verbose_name=_("scopes"))
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("owner"),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="api_tokens",
    )
    collection = models.ForeignKey(
        Node,
        verbose_name=_("collection"),
        help_text=_("Where jobs of its address go; needed for that scope."),
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        db_table = "api_tokens"
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ("-created_at",)
        permissions = [("revoke_apitoken", _("Can revoke API tokens"))]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="api_tokens_named"),
            models.CheckConstraint(
                condition=Q(scopes__contained_by=["store", "pipeline", "jobs", "hooks"], scopes__len__gt=0),
                name="api_tokens_known_scopes",
            ),
            models.CheckConstraint(
                condition=~Q(scopes__contains=["hooks"]) | Q(collection__isnull=False),
                name="api_tokens_hooks_have_collection",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Preference(models.Model):
    """What one person has chosen, on every machine: the language."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="+",
    )
    language = models.CharField(_("language"), max_length=10)

    class Meta:
        db_table = "user_preferences"
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")
