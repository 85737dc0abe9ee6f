"""Asking for a script that comes "eventually": a work item that somebody outside takes, a person or an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from orchestration.answers.claiming import NotThere, may
from orchestration.models import Orchestration
from orchestration.recipes import lock
from orchestration.reports import shown_language
from orchestration.work_items import NewItem, open_item
from synops.store.identities import SYSTEM_COLLECTION_ID

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

CHANGE = "orchestration.change_orchestration"
SCRIPT_REQUEST = "script_request"
"""The tag of such an item, and its cause."""


@transaction.atomic
def ask_eventually(user: AbstractBaseUser, recipe_id: UUID) -> UUID:
    """Ask for the script of a recipe in free text; the item's id. Asked again, the open item counts up.

    Raises PermissionError, NotThere.
    """
    may(user, CHANGE)
    if not Orchestration.objects.visible_to(user).filter(pk=recipe_id).exists():
        raise NotThere(f"there is no recipe {recipe_id}")
    with connection.cursor() as cursor:
        recipe = lock(cursor, recipe_id)
        with override(shown_language(recipe.language)):
            title = _("Script wanted: %(recipe)s") % {"recipe": recipe.title or recipe.text[:80]}
        item = NewItem(
            collection_id=recipe.collections[0] if recipe.collections else SYSTEM_COLLECTION_ID,
            title=title,
            content=recipe.text,
            dedupe_key=f"{recipe.id}:{SCRIPT_REQUEST}",
            tags=[SCRIPT_REQUEST],
            sources=[recipe.id],
            details={
                "orchestration_id": str(recipe.id),
                "cause": SCRIPT_REQUEST,
                "asked_by": user.pk,
                "answerable": True,
            },
        )
        return open_item(cursor, item)[0]
