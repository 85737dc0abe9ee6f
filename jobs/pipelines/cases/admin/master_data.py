"""Schemes and statuses: the source owns their names, a person here says which ones are worked on. And the synchronisations."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from jobs.pipelines.cases.models import Sync
from synops.graph.admin.bases import PlainAdmin, ReadOnly
from synops.graph.admin.rendering import json_block, moment


class OfTheSource(PlainAdmin):
    """Rows that a synchronisation makes and removes; one column is a person's."""

    sortable_by = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SchemeAdmin(OfTheSource):
    """Which schemes' cases are selected."""

    list_display = ("name", "key", "active")
    list_editable = ("active",)
    fields = ("key", "name", "active")
    readonly_fields = ("key", "name")


class CaseStatusAdmin(OfTheSource):
    """Which statuses qualify a case."""

    list_display = ("name", "key", "qualifying")
    list_editable = ("qualifying",)
    fields = ("key", "name", "qualifying")
    readonly_fields = ("key", "name")


class SyncAdmin(ReadOnly, PlainAdmin):
    """The dumps that the replica was brought up to."""

    list_display = ("as_of", "synced", "changed_rows")
    fields = ("as_of", "synced", "changed_rows")
    sortable_by = ()

    @admin.display(description=_("as of"))
    def as_of(self, sync: Sync) -> str:
        return moment(sync.generated_at)

    @admin.display(description=_("synchronised"))
    def synced(self, sync: Sync) -> str:
        return moment(sync.synced_at)

    @admin.display(description=_("changed rows"))
    def changed_rows(self, sync: Sync) -> str:
        return json_block(sync.counts)
