"""Recipes in the admin: the text, what it compiles to, and what is wrong with it, at every save."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from orchestration import recipes
from orchestration.language import compile_recipe, print_technical, render_box
from orchestration.models import Orchestration
from orchestration.vocabulary import database_vocabulary
from synops.graph.admin.bases import VisibleAdmin, person, viewer
from synops.graph.admin.rendering import badge, brief, json_block
from synops.graph.models import Node

if TYPE_CHECKING:
    RecipeModelForm = forms.ModelForm[Orchestration]
else:
    RecipeModelForm = forms.ModelForm


class RecipeForm(RecipeModelForm):
    """Title and text; a new recipe is put into a collection that the person may see."""

    collection = forms.ModelChoiceField(
        queryset=Node.objects.none(), label=_("Collection"), required=True, help_text=_("Where its events come from.")
    )

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


class RecipeAdmin(VisibleAdmin):
    """A recipe is written by orchestration.recipes only, which compiles it, keeps versions and draws the edges."""

    form = RecipeForm
    list_display = ("title", "shown_state", "event", "errors", "changed")
    search_fields = ("title",)
    ordering = ("title",)
    sortable_by = ()
    readonly_fields = ("shown_state", "compilation", "technical", "compiled_form")
    change_form_template = "admin/orchestration/orchestration/change_form.html"

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return [(None, {"fields": ("title", "collection", "content")})]
        return [
            (None, {"fields": ("title", "shown_state", "content", "compilation")}),
            (_("Technical"), {"fields": ("technical",)}),
            (_("Compiled"), {"fields": ("compiled_form",), "classes": ("collapse",)}),
        ]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        if "collection" in form.base_fields:
            visible = Node.objects.visible_to(viewer(request)).filter(node_kind="collection").order_by("title")
            form.base_fields["collection"].queryset = visible  # type: ignore[attr-defined]
        return form

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_activate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(recipes.ACTIVATE)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        chosen = form.cleaned_data.get("collection")
        draft = recipes.Draft(
            text=form.cleaned_data["content"],
            title=form.cleaned_data["title"],
            collections=[chosen.pk] if chosen else None,
        )
        saved = recipes.save(draft, recipe_id=obj.pk if change else None, user=person(request))
        obj.pk = saved.id
        obj.refresh_from_db()
        if saved.compilation is not None and saved.compilation.plan is None:
            messages.warning(request, _("The text is saved, but it has errors. See below what to change."))

    def activate_view(self, request: HttpRequest, object_id: UUID, on: bool) -> HttpResponse:
        """Switches a recipe on or off. POST only; what keeps it from being active is said in a sentence."""
        recipe = self.get_object(request, str(object_id))
        if recipe is None or not self.has_activate_permission(request):
            raise PermissionDenied
        try:
            if on:
                recipes.activate(object_id, user=person(request))
            else:
                recipes.deactivate(object_id)
            note = gettext_noop("Activated.") if on else gettext_noop("Deactivated.")
            LogEntry.objects.log_actions(person(request).pk, [recipe], CHANGE, note)
            self.message_user(request, _("The recipe is active.") if on else _("The recipe is a draft."))
        except recipes.CannotActivate as problem:
            self.message_user(request, str(problem), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:orchestration_orchestration_change", args=[object_id]))

    def get_urls(self) -> list[URLPattern]:
        wrap: Callable[[Any], Any] = self.admin_site.admin_view
        view = wrap(require_POST(self.activate_view))
        own = [
            path("<uuid:object_id>/activate/", view, {"on": True}, name="orchestration_orchestration_activate"),
            path("<uuid:object_id>/deactivate/", view, {"on": False}, name="orchestration_orchestration_deactivate"),
        ]
        return [*own, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        context["may_activate"] = self.has_activate_permission(request)
        page: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return page

    @admin.display(description=_("state"))
    def shown_state(self, recipe: Orchestration) -> str:
        return badge(recipe.state.value, recipe.state.label)

    @admin.display(description=_("reacts to"))
    def event(self, recipe: Orchestration) -> str:
        return str(recipe.trigger.get("event") or "–")

    @admin.display(description=_("errors"))
    def errors(self, recipe: Orchestration) -> str:
        return str(sum(record.get("severity") == "error" for record in recipe.diagnostics) or "–")

    @admin.display(description=_("changed"))
    def changed(self, recipe: Orchestration) -> str:
        return brief(recipe.updated_at)

    @admin.display(description=_("compilation"))
    def compilation(self, recipe: Orchestration) -> str:
        """What the compiler says of the text as it is stored, with the tools of now."""
        found = compile_recipe(recipe.content, database_vocabulary(), layer=recipe.source_layer.value)
        return format_html('<pre class="recipe" tabindex="0">{}</pre>', render_box(found, get_language() or "nb"))

    @admin.display(description=_("commands"))
    def technical(self, recipe: Orchestration) -> str:
        words = database_vocabulary()
        plan = compile_recipe(recipe.content, words, layer=recipe.source_layer.value).plan
        return format_html('<pre class="recipe" tabindex="0">{}</pre>', print_technical(plan, words)) if plan else "–"

    @admin.display(description=_("compiled"))
    def compiled_form(self, recipe: Orchestration) -> str:
        return json_block(recipe.compiled)
