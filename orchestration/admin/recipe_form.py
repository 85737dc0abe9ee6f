"""The recipe's form: title, collections, text and how it is written. It works without a line of JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from orchestration.models import Orchestration
from orchestration.states import Executor
from synops.graph.admin.rendering import hour
from synops.graph.models import Edge, Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

    RecipeModelForm = forms.ModelForm[Orchestration]
else:
    RecipeModelForm = forms.ModelForm

LEVELS = [(1, _("1 – small")), (2, _("2 – ordinary")), (3, _("3 – large"))]


class RecipeForm(RecipeModelForm):
    """What a person writes. `viewer` is set by the admin on a class of its own for each request."""

    viewer: Viewer

    collections = forms.ModelMultipleChoiceField(
        queryset=Node.objects.none(),
        label=_("Collections"),
        required=False,
        help_text=_("Where its events come from."),
        widget=forms.CheckboxSelectMultiple,
    )
    executor = forms.ChoiceField(label=_("Mode"), choices=Executor.choices, initial=Executor.SCRIPT)
    intelligence = forms.TypedChoiceField(label=_("Model"), coerce=int, choices=LEVELS, initial=2)
    effort = forms.TypedChoiceField(label=_("Effort"), coerce=int, choices=LEVELS, initial=2)
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    wish = forms.CharField(widget=forms.HiddenInput, required=False, max_length=100_000)
    overwrite = forms.BooleanField(label=_("Save mine as the newest version all the same"), required=False)

    class Meta:
        model = Orchestration
        fields = ("title", "content")
        labels = {"content": _("Recipe")}
        widgets = {
            "title": forms.TextInput(attrs={"class": "vTextField"}),
            "content": forms.Textarea(
                attrs={"class": "vLargeTextField recipe-text", "rows": 14, "spellcheck": "false"}
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        visible = Node.objects.visible_to(self.viewer).filter(node_kind="collection").order_by("title")
        self.fields["collections"].queryset = visible  # type: ignore[attr-defined]
        self.fields["content"].required = False
        recipe = self.instance if self.instance.title or self.instance.version else None
        if recipe is not None:
            self.initial.update(
                collections=homes(recipe.pk),
                executor=recipe.executor.value,
                intelligence=recipe.intelligence,
                effort=recipe.effort,
                version=recipe.version,
            )

    def clean_collections(self) -> list[UUID]:
        """Those chosen, and those that this person does not see and so can't have meant to take away."""
        chosen = [node.pk for node in self.cleaned_data["collections"]]
        visible = set(self.fields["collections"].queryset.values_list("pk", flat=True))  # type: ignore[attr-defined]
        kept = [id for id in homes(self.instance.pk) if id not in visible]
        if not (chosen or kept) and not getattr(self.viewer, "is_superuser", False):
            raise ValidationError(_("Choose at least one collection."))
        return chosen + kept

    def clean(self) -> dict[str, Any]:
        """Two people on one recipe: the second is told whose text stands there, and loses none of their own."""
        found: dict[str, Any] = super().clean() or self.cleaned_data
        seen, now = found.get("version"), self.instance.version
        if seen is not None and now > seen and not found.get("overwrite"):
            newest = self.instance.versions.filter(number=now).select_related("author").first()
            who = str(newest.author) if newest and newest.author else _now("the system")
            when = hour(newest.created_at) if newest else ""
            raise ValidationError(
                _(
                    "%(who)s saved version %(number)s at %(when)s, while you were writing. Your text stands below and is not "
                    "saved. Compare it with the versions, then save again."
                ),
                code="overtaken",
                params={"who": who, "number": now, "when": when},
            )
        return found

    @property
    def was_overtaken(self) -> bool:
        """Whether somebody else has saved meanwhile: only then is there a question to answer."""
        return self.has_error("__all__", "overtaken") or bool(self.data.get("overwrite"))


def homes(recipe_id: UUID) -> list[UUID]:
    """The collections that a recipe belongs to."""
    edges = Edge.objects.filter(source_id=recipe_id, edge_type="belongs_to").order_by("created_at", "id")
    return list(edges.values_list("target_id", flat=True))
