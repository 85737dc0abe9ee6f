"""What the recipe editor asks while somebody writes: check, completion, a trial against an event, a draft, a tool wanted.

JSON for the open page, with its session and CSRF token. Nothing here saves a recipe; programs use the API.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from orchestration.compiling import language_of
from orchestration.drafting.drafts import Wish, draft
from orchestration.drafting.dream import request_tools
from orchestration.drafting.proposal import Missing
from orchestration.dry_run import Answer, Preview, preview_event, preview_node
from orchestration.first_steps import TRIED
from orchestration.language import (
    Compilation,
    Plan,
    compile_recipe,
    diagnostics_to_json,
    print_conditions,
    print_human,
    print_technical,
)
from orchestration.language.editing import complete, hover
from orchestration.models import Orchestration
from orchestration.states import Reason
from orchestration.step_texts import texts_of_plan
from orchestration.vocabulary import database_vocabulary
from synops.graph.admin.bases import person, viewer
from synops.graph.models import GraphEvent, Node

if TYPE_CHECKING:
    from orchestration.admin.recipes import RecipeAdmin

MAX_BODY_BYTES = 1024 * 1024
VIEW = "orchestration.view_orchestration"
WRITE = ("orchestration.add_orchestration", "orchestration.change_orchestration")

Question = Callable[[HttpRequest, Mapping[str, Any]], dict[str, Any]]


class Refused(ValueError):
    """A question that can't be answered; the text says why."""


def urls(owner: RecipeAdmin) -> list[URLPattern]:
    """Routes below the list of recipes."""
    questions: dict[str, tuple[Question, tuple[str, ...]]] = {
        "check": (check, (VIEW, *WRITE)),
        "complete": (completion, (VIEW, *WRITE)),
        "trial": (trial, (VIEW, *WRITE)),
        "draft": (drafted, WRITE),
        "want": (wanted, WRITE),
    }
    return [
        path(
            f"editor/{name}/",
            owner.admin_site.admin_view(require_POST(_answering(question, permissions))),
            name=f"orchestration_editor_{name}",
        )
        for name, (question, permissions) in questions.items()
    ]


def _answering(question: Question, permissions: tuple[str, ...]) -> Callable[[HttpRequest], HttpResponse]:
    """A view: any of the permissions lets in; a body that is no object of ours is 400, what can't be answered 422."""

    def view(request: HttpRequest) -> HttpResponse:
        if not any(request.user.has_perm(permission) for permission in permissions):
            return JsonResponse({"error": _("You may not do this.")}, status=403)
        if len(request.body) > MAX_BODY_BYTES:
            return JsonResponse({"error": _("The text is too long.")}, status=413)
        try:
            asked = json.loads(request.body)
            if not isinstance(asked, dict):
                raise TypeError("not an object")
            return JsonResponse(question(request, asked))
        except Refused as refused:
            return JsonResponse({"error": str(refused)}, status=422)
        except (ValueError, TypeError, KeyError) as error:
            return JsonResponse({"error": f"{type(error).__name__}: {error}"}, status=400)

    return view


def check(_request: HttpRequest, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a compilation, with the text in each form that it has, and its header as data."""
    words = database_vocabulary()
    found = compile_recipe(_text(asked), words, layer=str(asked.get("layer") or "auto"))
    language = _recipe_language(asked)
    record = diagnostics_to_json(found, get_language() or "nb")
    lines = {line.line for line in found.lines}
    return {
        **record,
        "forms": _forms(found, language),
        "hovers": {str(line): hover(found, line, words, get_language() or "nb") for line in lines},
        "trigger": record["compiled"]["trigger"] if record["compiled"] else None,
    }


def _forms(found: Compilation, language: str) -> dict[str, str]:
    if found.plan is None:
        return {"human": "", "technical": ""}
    words = database_vocabulary()
    return {"human": print_human(found.plan, words, language), "technical": print_technical(found.plan, words)}


def completion(_request: HttpRequest, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What may be written at a place; `line` counts from 1, `col` from 0 in code points."""
    proposals = complete(
        _text(asked), int(asked["line"]), int(asked["col"]), database_vocabulary(), _recipe_language(asked)
    )
    return {"proposals": [{"text": one.text, "detail": one.detail} for one in proposals]}


def trial(request: HttpRequest, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Testkjør: conditions and commands against a chosen event or node. Nothing is executed."""
    plan = compile_recipe(_text(asked), database_vocabulary()).plan
    if plan is None:
        raise Refused(_("The text has errors. Put them right first."))
    preview = _previewed(request, asked, plan)
    said = preview.answer
    texts = texts_of_plan(plan, _recipe_language(asked))
    request.session[TRIED] = True
    return {
        "starts": said.starts if said else None,
        "inactive": said is not None and said.reason == Reason.INACTIVE,
        "reason": _why_not(said, plan) if said else "",
        "steps": [
            {
                "step": step.step,
                "alternative": step.alternative,
                "line": step.line,
                "text": step.text
                if step.step and not step.alternative
                else texts.get((step.step, step.alternative), ""),
                "command": list(step.command),
                "unresolved": list(step.unresolved),
                "problem": step.problem,
            }
            for step in preview.steps
        ],
    }


def _why_not(said: Answer, plan: Plan) -> str:
    """The reason, with the conditions that do not hold as one would write them."""
    if not said.failing:
        return str(said.reason.label)
    unmet = print_conditions(said.failing, plan.trigger.event, database_vocabulary(), get_language() or "nb")
    return f"{said.reason.label}: {unmet}"


def _previewed(request: HttpRequest, asked: Mapping[str, Any], plan: Plan) -> Preview:
    """Only what the person may see can be tried on: a trial shows titles and ids."""
    if event := asked.get("event_id"):
        recipe = UUID(str(asked["recipe_id"]))
        _require_visible(request, recipe)
        row = GraphEvent.objects.filter(pk=int(event)).first()
        if row is not None and row.node_id is not None:
            _require_visible(request, row.node_id)
        found = preview_event(recipe, plan, int(event)) if row is not None else None
        if found is None:
            raise Refused(_("This event is not kept any more. Choose another."))
        return found
    if not asked.get("node_id"):
        raise Refused(_("Choose what to try it on."))
    try:
        node = UUID(str(asked["node_id"]).strip())
    except ValueError as error:
        raise Refused(_("This is no id of a node.")) from error
    _require_visible(request, node)
    return preview_node(plan, node)


def _require_visible(request: HttpRequest, node: UUID) -> None:
    if not Node.objects.visible_to(viewer(request)).filter(pk=node).exists():
        raise Refused(_("There is no node with this id."))


def drafted(request: HttpRequest, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Lag utkast: a script from free text, by a model where one is configured, else from the vocabulary."""
    text = _text(asked)
    if not text.strip():
        raise Refused(_("Write what you want first."))
    wish = Wish(
        text=text,
        executor=str(asked.get("executor") or "bot"),
        intelligence=int(asked.get("intelligence") or 2),
        effort=int(asked.get("effort") or 2),
        language=_recipe_language(asked),
        viewer=viewer(request),
    )
    return draft(wish).to_json()


@transaction.atomic
def wanted(request: HttpRequest, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Be om verktøyet: a work item for something that no tool does. It belongs to a saved recipe."""
    recipe = Orchestration.objects.visible_to(viewer(request)).filter(pk=UUID(str(asked["recipe_id"]))).first()
    if recipe is None:
        raise Refused(_("Save the recipe first."))
    phrase = str(asked["phrase"]).strip()[:200]
    if not phrase:
        raise Refused(_("Write what you want first."))
    (item,) = request_tools(recipe.pk, [Missing(phrase, 0)], user=person(request))
    return {"work_item": str(item)}


def _text(asked: Mapping[str, Any]) -> str:
    text = asked["text"]
    if not isinstance(text, str):
        raise TypeError("text is a string")
    return text


def _recipe_language(asked: Mapping[str, Any]) -> str:
    """The recipe's own language, not the reader's: an English editor may look after a Norwegian recipe."""
    given = str(asked.get("language") or "")
    return given if given in ("nb", "nn", "en") else language_of(_text(asked))
