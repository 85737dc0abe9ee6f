"""Recipes in the admin: written in the editor, saved through orchestration.recipes only, and started by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from orchestration import recipes
from orchestration.admin import editor
from orchestration.admin.by_hand import by_hand_view
from orchestration.admin.recipe_form import RecipeForm
from orchestration.admin.recipe_page import page_context
from orchestration.answers import ask_eventually
from orchestration.drafting import keeping
from orchestration.first_steps import first_steps
from orchestration.language import compile_recipe, print_technical, render_box
from orchestration.language.editing import event_in_words
from orchestration.models import Orchestration
from orchestration.samples import sample, samples
from orchestration.states import Executor
from orchestration.vocabulary import database_vocabulary
from synops.graph.admin.bases import VisibleAdmin, person, viewer
from synops.graph.admin.rendering import badge, brief, json_block
from synops.graph.models import Node
from synops.store.identities import SYSTEM_COLLECTION_ID

CHANGE_PAGE = "admin:orchestration_orchestration_change"
WRITTEN = ("title", "collections", "content", "executor", "intelligence", "effort", "version", "wish")


class RecipeAdmin(VisibleAdmin):
    """A recipe is written by orchestration.recipes only, which compiles it, keeps versions and draws the edges."""

    form = RecipeForm
    list_display = ("title", "shown_state", "event", "errors", "changed")
    search_fields = ("title",)
    ordering = ("title",)
    sortable_by = ()
    readonly_fields = ("shown_state", "compilation", "technical", "compiled_form")
    add_form_template = change_form_template = "admin/orchestration/orchestration/change_form.html"
    change_list_template = "admin/orchestration/orchestration/change_list.html"

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        shown = {"first_steps": first_steps(request), "samples": samples(get_language() or "nb")}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    # -- the page ----------------------------------------------------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The template places the fields itself; for people who may only look, Django shows these as text."""
        if obj is not None and not self.has_change_permission(request, obj):
            return [
                (None, {"fields": ("title", "shown_state", "content", "compilation", "technical", "compiled_form")})
            ]
        return [(None, {"fields": WRITTEN})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return self.readonly_fields if obj is not None and not self.has_change_permission(request, obj) else ()

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A sample to begin with, and the collection that there is only one of."""
        chosen = sample(request.GET.get("sample", ""), get_language() or "nb")
        places = list(Node.objects.visible_to(viewer(request)).filter(node_kind="collection")[:3])
        own = [place.pk for place in places if place.pk != SYSTEM_COLLECTION_ID]
        data: dict[str, Any] = {"collections": own} if len(own) == 1 else {}
        return {**data, "title": chosen.title, "content": chosen.text} if chosen else data

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_form(request, obj, change=change, **{**kwargs, "fields": (), "form": forms.ModelForm})
        return type("RecipeForm", (RecipeForm,), {"viewer": viewer(request)})

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        recipe = cast("Orchestration | None", kwargs.get("obj") or context.get("original"))
        may = self.has_change_permission(request, recipe) if recipe else self.has_add_permission(request)
        context.update(page_context(request, recipe), may_write=may, may_activate=self.has_activate_permission(request))
        context["may_ask_later"] = may and recipe is not None and recipe.executor != Executor.SCRIPT
        context["may_run"] = recipe is not None and self.has_run_permission(request)
        page: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return page

    # -- who may what ------------------------------------------------------------------------------------------------

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_activate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(recipes.ACTIVATE)

    def has_run_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("orchestration.run_orchestration")

    # -- saving ------------------------------------------------------------------------------------------------------

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A script that was drafted from a wish is saved behind it, so that both stand among the versions."""
        user, said = person(request), form.cleaned_data
        draft = recipes.Draft(
            text=said["content"],
            title=said["title"],
            executor=said["executor"],
            intelligence=said["intelligence"],
            effort=said["effort"],
            collections=said["collections"],
        )
        if said["wish"]:
            wish = replace(draft, text=said["wish"], executor=Executor.BOT.value)
            obj.pk = recipes.save(wish, recipe_id=obj.pk if change else None, user=user).id
            saved = keeping.keep(obj.pk, said["content"], user=user)
        else:
            saved = recipes.save(draft, recipe_id=obj.pk if change else None, user=user)
        obj.pk = saved.id
        if "_approve" in request.POST:
            self._activate(request, saved.id)
        obj.refresh_from_db()
        if saved.compilation is not None and saved.compilation.plan is None:
            messages.warning(request, _("The text is saved, but it has errors. See below what to change."))

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """Back to the recipe and not to the list: there is more to do with it."""
        self.message_user(request, _("The recipe is saved."), messages.SUCCESS)
        return HttpResponseRedirect(reverse(CHANGE_PAGE, args=[obj.pk]))

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        self.message_user(request, _("The recipe is saved."), messages.SUCCESS)
        return HttpResponseRedirect(reverse(CHANGE_PAGE, args=[obj.pk]))

    # -- buttons -----------------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        wrap: Callable[[Any], Any] = self.admin_site.admin_view
        buttons = {"activate": self.activate, "deactivate": self.deactivate, "lift": self.lift, "later": self.later}
        own = [
            path(f"<uuid:object_id>/{name}/", wrap(require_POST(view)), name=f"orchestration_orchestration_{name}")
            for name, view in buttons.items()
        ]
        own += [
            path(
                "<uuid:object_id>/restore/<int:number>/",
                wrap(require_POST(self.restore)),
                name="orchestration_orchestration_restore",
            ),
            path("<uuid:object_id>/run/", wrap(by_hand_view(self)), name="orchestration_orchestration_run"),
        ]
        return [*editor.urls(self), *own, *super().get_urls()]

    def activate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Switch a recipe on; what keeps it from being active is said in a sentence."""
        self._own(request, object_id, self.has_activate_permission(request))
        self._activate(request, object_id)
        return self._back(object_id)

    def deactivate(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Switch a recipe off: runs under way go on."""
        recipe = self._own(request, object_id, self.has_activate_permission(request))
        recipes.deactivate(object_id)
        self._log(request, recipe, gettext_noop("Deactivated."))
        self.message_user(request, _("The recipe is a draft."))
        return self._back(object_id)

    def lift(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Make free text of a script again ("[↑ Konverter til AI]"); it reacts to nothing until it is approved anew."""
        recipe = self._own(request, object_id, self.has_change_permission(request))
        keeping.lift(object_id, Executor.BOT, user=person(request))
        self._log(request, recipe, gettext_noop("Turned into free text."))
        self.message_user(request, _("The recipe is free text now, and a draft until it compiles and is approved."))
        return self._back(object_id)

    def later(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """“Etter hvert”: the text as it is saved becomes a work item that somebody outside answers with a script."""
        self._own(request, object_id, self.has_change_permission(request))
        ask_eventually(person(request), object_id)
        self.message_user(
            request, _("Asked for. A notice tells you when a script is ready; it does nothing before you approve.")
        )
        return self._back(object_id)

    def restore(self, request: HttpRequest, object_id: UUID, number: int) -> HttpResponse:
        """Make the text of an earlier version the newest one."""
        recipe = self._own(request, object_id, self.has_change_permission(request))
        version = recipe.versions.filter(number=number).first()
        if version is None:
            raise Http404
        draft = recipes.Draft(text=version.source, title=version.title or recipe.title, note=f"restored {number}")
        recipes.save(draft, recipe_id=object_id, user=person(request))
        self.message_user(request, _("Version %(number)s is the newest text now.") % {"number": number})
        return self._back(object_id)

    def _activate(self, request: HttpRequest, object_id: UUID) -> None:
        try:
            recipes.activate(object_id, user=person(request))
        except recipes.CannotActivate as problem:
            self.message_user(request, str(problem), messages.ERROR)
            return
        self._log(request, Orchestration.objects.get(pk=object_id), gettext_noop("Activated."))
        self.message_user(request, _("The recipe is active."))

    def _own(self, request: HttpRequest, object_id: UUID, allowed: bool) -> Orchestration:
        recipe = cast("Orchestration | None", self.get_object(request, str(object_id)))
        if recipe is None or not allowed:
            raise PermissionDenied
        return recipe

    def _log(self, request: HttpRequest, recipe: Orchestration, note: str) -> None:
        LogEntry.objects.log_actions(person(request).pk, [recipe], CHANGE, note)

    def _back(self, object_id: UUID) -> HttpResponse:
        return HttpResponseRedirect(reverse(CHANGE_PAGE, args=[object_id]))

    # -- columns -----------------------------------------------------------------------------------------------------

    @admin.display(description=_("state"))
    def shown_state(self, recipe: Orchestration) -> str:
        return badge(recipe.state.value, recipe.state.label)

    @admin.display(description=_("reacts to"))
    def event(self, recipe: Orchestration) -> str:
        return event_in_words(str(recipe.trigger.get("event") or "–"), get_language() or "nb")

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
