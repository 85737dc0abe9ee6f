"""The form of a new API token: what it is for, whom it acts for, how long it lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from jobs.admin.filter_fields import collection_choices
from synops.graph.models import Node
from synops.site.models import ApiToken
from synops.site.tokens import create_token

if TYPE_CHECKING:
    from django.http import QueryDict

LONGEST_NAME = 100
MOST_DAYS = 3650
USUAL_DAYS = 90
MOST_COLLECTIONS = 1_000

FOR_SUPERUSERS = (ApiToken.Scope.STORE,)
"""The file store knows no collections: who reads it may read what their login may not."""


class TokenForm(forms.Form):
    """Made for the person who fills it in; a superuser may name another owner."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, help_text=_("What or who uses it."))
    scopes = forms.MultipleChoiceField(label=_("Scopes"), widget=forms.CheckboxSelectMultiple)
    collection = forms.ChoiceField(
        label=_("Collection"), required=False, help_text=_("Where jobs of its address go; needed for that scope.")
    )
    days = forms.IntegerField(
        label=_("Ends after days"), required=False, min_value=1, max_value=MOST_DAYS, initial=USUAL_DAYS,
        help_text=_("Empty: it lasts until it is revoked."),
    )  # fmt: skip
    owner = forms.ModelChoiceField(
        label=_("Owner"),
        queryset=User.objects.none(),
        help_text=_("It may do what its scopes and this person's rights allow."),
    )

    def __init__(self, person: Any, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.person = person
        self._choices("scopes", scopes_for(person))
        self._choices("collection", [("", "–"), *collection_choices(person, most=MOST_COLLECTIONS)])
        if person.is_superuser:
            self.fields["owner"].queryset = User.objects.filter(is_active=True).order_by("username")  # type: ignore[attr-defined]
            self.fields["owner"].initial = person.pk
        else:
            del self.fields["owner"]

    def _choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        collection, scopes = given.get("collection"), given.get("scopes", [])
        if ApiToken.Scope.HOOKS in scopes and not collection:
            self.add_error("collection", _("Choose the collection that its jobs go into."))
        owner = given.setdefault("owner", self.person)
        if collection and owner and not Node.objects.visible_to(owner).filter(pk=collection).exists():
            self.add_error("collection", _("The owner has no access to this collection."))
        return given

    def create(self) -> tuple[ApiToken, str]:
        """The token and its secret, which nothing keeps."""
        given = self.cleaned_data
        collection = UUID(given["collection"]) if given["collection"] else None
        return create_token(given["name"], given["scopes"], given["owner"], collection, given["days"])


def scopes_for(person: Any) -> list[tuple[str, Any]]:
    """The scopes that a person may give."""
    return [choice for choice in ApiToken.Scope.choices if person.is_superuser or choice[0] not in FOR_SUPERUSERS]
