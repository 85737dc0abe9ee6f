"""Users and groups in the admin: an administrator gives people roles, and never more than a role to anybody.

Django's own forms would let whoever may change users make a superuser of himself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

if TYPE_CHECKING:
    AnyUserAdmin = UserAdmin[User]
else:
    AnyUserAdmin = UserAdmin

FOR_SUPERUSERS = ("is_superuser", "user_permissions")


class AccountAdmin(AnyUserAdmin):
    """People who can log in. Superusers, and rights beyond a role, are the business of superusers."""

    list_display = ("username", "first_name", "last_name", "is_active", "is_staff", "roles")

    @admin.display(description=Group._meta.verbose_name_plural)
    def roles(self, user: Any) -> str:
        return ", ".join(group.name for group in user.groups.all())

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if is_superuser(request) else (*fields, *FOR_SUPERUSERS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        mine = is_superuser(request) or not getattr(obj, "is_superuser", False)
        return mine and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        mine = is_superuser(request) or not getattr(obj, "is_superuser", False)
        return mine and super().has_delete_permission(request, obj)


class RoleAdmin(GroupAdmin):
    """Groups: the four roles and others. What a group may is decided by superusers."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)


def is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def register(site: admin.AdminSite) -> None:
    """Instead of Django's own."""
    site.unregister([User, Group])
    site.register(User, AccountAdmin)
    site.register(Group, RoleAdmin)
