"""The page of one work item: what it is about, who has it, the script that answers it, and a button for each thing to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from orchestration import acting, answers, item_actions
from orchestration.admin.answer_form import AnswerForm
from orchestration.language import compile_recipe, render_box
from orchestration.models import Orchestration, Run, Version, WorkItem
from orchestration.nodes import Holder
from orchestration.recipes import CannotActivate
from orchestration.reruns import CannotRerun
from orchestration.versions import difference
from orchestration.vocabulary import database_vocabulary
from synops.graph.admin.bases import person, viewer
from synops.graph.admin.rendering import badge, hour, pretty
from synops.graph.models import Node

if TYPE_CHECKING:
    from orchestration.admin.work_items import WorkItemAdmin

HELD_SECONDS = 8 * 3600.0
"""A person keeps what they took for a working day, and can keep it for longer."""
ACTIONS = ("take", "keep", "give_back", "answer", "approve", "reject", "close", "reopen")


def urls(owner: WorkItemAdmin) -> list[URLPattern]:
    """A route for each button; POST only."""
    wrap: Callable[[Any], Any] = owner.admin_site.admin_view
    return [
        path(
            f"<uuid:object_id>/{what}/",
            wrap(require_POST(_acting(owner, what))),
            name=f"orchestration_workitem_{what}",
        )
        for what in ACTIONS
    ]


def view(owner: WorkItemAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    """The page as it is read."""
    item = cast("WorkItem | None", owner.get_object(request, object_id))
    if item is None:
        return owner._get_obj_does_not_exist_redirect(request, owner.opts, object_id)  # type: ignore[attr-defined, no-any-return]
    if request.method not in ("GET", "HEAD") or not owner.has_view_permission(request, item):
        raise PermissionDenied
    return _page(owner, request, item)


def shown_state(item: WorkItem) -> tuple[str, str]:
    """The code of its badge and the word."""
    if not item.is_open:
        return "succeeded", _("closed")
    if item.answer:
        return "retry", _("to be approved")
    return ("running", _("taken")) if current_holder(item) else ("pending", _("open"))


def current_holder(item: WorkItem) -> Holder | None:
    """Who has it now; nobody has one that is closed or answered."""
    held = item.holder
    return held if held and item.is_open and not item.answer and held.until > timezone.now() else None


# -- the page --------------------------------------------------------------------------------------------------------


def _page(owner: WorkItemAdmin, request: HttpRequest, item: WorkItem, form: AnswerForm | None = None) -> HttpResponse:
    user = person(request)
    held = current_holder(item)
    recipe = _recipe(request, item)
    may_answer = user.has_perm("orchestration.answer_workitem")
    mine = held is not None and held.by == user.pk
    answerable = item.metadata.get("answerable") is True and recipe is not None
    context = {
        **owner.admin_site.each_context(request),
        "opts": owner.opts,
        "title": item.title,
        "item": item,
        "badge": badge(*shown_state(item)),
        "holder": held,
        "mine": mine,
        "may_take": may_answer and item.is_open and not item.answer and held is None,
        "may_close": owner.has_close_permission(request),
        "answerable": answerable,
        "may_decide": item.is_open and recipe is not None and user.has_perm("orchestration.change_orchestration"),
        "may_activate": user.has_perm("orchestration.activate_orchestration"),
        "recipe": recipe,
        "run": _run(request, item),
        "tags": item.edges_out.filter(edge_type="tagged").values_list("target__title", flat=True),
        "sources": _sources(request, item),
        "details": pretty(item.metadata),
        **(_proposal(item, recipe) if item.answer and recipe else {}),
    }
    if form is not None:  # what was sent is shown again, also to somebody who does not hold the item any more
        context["form"] = form
    elif mine and answerable:
        context["form"] = AnswerForm(initial={"lease": held.lease if held else 0, "text": _start(recipe)})
    return TemplateResponse(request, "admin/orchestration/workitem/item.html", context)


def _recipe(request: HttpRequest, item: WorkItem) -> Orchestration | None:
    rows = Orchestration.objects.visible_to(viewer(request))
    return cast("Orchestration | None", rows.filter(pk=item.metadata.get("orchestration_id") or None).first())


def _run(request: HttpRequest, item: WorkItem) -> Run | None:
    run = str(item.metadata.get("run_id") or "")
    found: Run | None = Run.objects.visible_to(viewer(request)).filter(pk=run).first() if run else None
    return found


def _start(recipe: Orchestration | None) -> str:
    """An answer begins with the script that failed; a wish is above the form and is no script."""
    return recipe.content if recipe and recipe.executor == "script" else ""


def _sources(request: HttpRequest, item: WorkItem) -> list[Node]:
    """What it is about besides the recipe, as far as the person may see it."""
    about = Node.objects.visible_to(viewer(request)).filter(
        edges_in__source=item, edges_in__edge_type="source_material"
    )
    return list(about.exclude(node_kind="orchestration").order_by("title", "id"))


def _proposal(item: WorkItem, recipe: Orchestration) -> dict[str, Any]:
    """The script that waits for approval, beside the text that it would replace."""
    given = item.answer or {}
    rows = recipe.versions.filter(number__in=(given["version"], recipe.version))
    by_number: dict[int, Version] = {version.number: version for version in rows}
    proposed = by_number.get(given["version"])
    if proposed is None:
        return {}
    return {
        "proposed": proposed,
        "lines": difference(by_number.get(recipe.version), proposed),
        "was_changed": recipe.version != given["base_version"],
    }


# -- buttons ---------------------------------------------------------------------------------------------------------


def _acting(owner: WorkItemAdmin, what: str) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """Do it, or say in a sentence why it could not be done; nothing that was written is lost."""

    def act(request: HttpRequest, object_id: UUID) -> HttpResponse:
        item = cast("WorkItem | None", owner.get_object(request, str(object_id)))
        if item is None:
            raise PermissionDenied
        here = reverse("admin:orchestration_workitem_change", args=[object_id])
        try:
            if what == "answer":
                return _answer(owner, request, item)
            return HttpResponseRedirect(_do(request, item, what) or here)
        except (PermissionError, answers.NotThere) as refused:
            raise PermissionDenied from refused
        except answers.Taken:
            messages.error(request, _why_taken(WorkItem.objects.get(pk=object_id)))
        except answers.Lost:
            messages.error(request, _("You do not hold this work item any more: %s") % _why_taken(item))
        except answers.CannotApprove as problem:
            messages.error(request, _why_not_approved(str(problem)))
        except CannotActivate as problem:
            messages.error(request, str(problem))
        return HttpResponseRedirect(here)

    return act


def _do(request: HttpRequest, item: WorkItem, what: str) -> str | None:
    """One button; where to go if not back to the item."""
    user = person(request)
    lease = item.holder.lease if item.holder else 0
    match what:
        case "take":
            until = item_actions.take(user, item.pk, seconds=HELD_SECONDS)
            messages.success(request, _("It is yours until %s.") % hour(until))
        case "keep":
            until = item_actions.keep(user, item.pk, lease, seconds=HELD_SECONDS)
            messages.success(request, _("It is yours until %s.") % hour(until))
        case "give_back":
            item_actions.give_back(user, item.pk, lease)
        case "approve":
            return _approve(request, item)
        case "reject":
            item_actions.reject(user, item.pk, request.POST.get("note", ""))
            messages.success(request, _("The answer is sent back; the work item can be taken again."))
        case "close":
            item_actions.close(user, item.pk)
        case "reopen" if not item_actions.reopen(user, item.pk):
            messages.error(request, _("It is open already, or the same trouble has another open work item."))
    return None


def _answer(owner: WorkItemAdmin, request: HttpRequest, item: WorkItem) -> HttpResponse:
    """A script with errors comes back with what is wrong with it, and is not lost; nor is one that came too late."""
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _page(owner, request, item, form)
    said = form.cleaned_data
    try:
        item_actions.answer(person(request), item.pk, said["lease"], said["text"], note=said["note"])
    except answers.DoesNotCompile:
        found = compile_recipe(said["text"], database_vocabulary())
        form.compilation = render_box(found, get_language() or "nb")
        form.add_error("text", _("The script has errors. See below what to change; you still hold the work item."))
        return _page(owner, request, item, form)
    except answers.Lost:
        item = WorkItem.objects.get(pk=item.pk)
        messages.error(request, _("You do not hold this work item any more: %s") % _why_taken(item))
        return _page(owner, request, item, form)
    messages.success(request, _("The script is proposed. It does nothing before somebody approves it."))
    return HttpResponseRedirect(reverse("admin:orchestration_workitem_change", args=[item.pk]))


def _approve(request: HttpRequest, item: WorkItem) -> str:
    """The recipe, or the run that goes on."""
    approved = item_actions.approve(
        person(request), item.pk, activate="activate" in request.POST, over_newer="over_newer" in request.POST
    )
    messages.success(request, _("The script is the recipe's text now, and the work item is closed."))
    if approved.run_id:
        return str(reverse("admin:orchestration_run_change", args=[approved.run_id]))
    if approved.problem == "permission":
        messages.warning(request, _("The failed run does not go on: you may not run again."))
    elif approved.problem:
        why = acting.why_not(CannotRerun(approved.problem))
        messages.warning(request, _("The failed run does not go on: %s") % why)
    return str(reverse("admin:orchestration_orchestration_change", args=[approved.saved.id]))


def _why_taken(item: WorkItem) -> str:
    if not item.is_open:
        return _("it is closed.")
    if item.answer:
        return _("it has an answer from %s that waits to be approved.") % str(item.answer.get("name"))
    held = current_holder(item)
    if held is None:
        return _("it is free. Take it again.")
    return _("%(name)s has it until %(until)s.") % {"name": held.name, "until": hour(held.until)}


def _why_not_approved(code: str) -> str:
    said = {
        "no_answer": _("There is no answer to decide on: somebody else has decided already."),
        "changed": _(
            "The recipe has been changed since the answer was written. Compare them; then approve it all the same."
        ),
    }
    return said.get(code, code)
