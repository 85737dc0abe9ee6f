"""What a recipe's page shows around the text: its state, its runs, its versions, and what the editor needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from orchestration import why
from orchestration.language import Compilation, compile_recipe, render_box
from orchestration.language.editing import condition_phrases, event_phrases, language_of
from orchestration.models import Orchestration, Run
from orchestration.samples import samples
from orchestration.states import RunStatus
from orchestration.versions import with_differences
from orchestration.vocabulary import database_vocabulary
from synops.graph.admin.bases import viewer
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

VERSIONS, RUNS, EVENTS, NODES = 20, 5, 30, 20
TRIED_ON = ("communication", "content", "article", "media")


def page_context(request: HttpRequest, recipe: Orchestration | None) -> dict[str, Any]:
    """For the template. Without a recipe, the page of a new one."""
    context: dict[str, Any] = {"tools": tools(), "editor": editor_config(recipe)}
    if recipe is None:
        context["samples"] = samples(get_language() or "nb")
    else:
        context |= {
            "recipe": recipe,
            "compilation": render_box(compiled_now(recipe), get_language() or "nb"),
            "tally": tally(recipe, viewer(request)),
            "versions": list(with_differences(list(recipe.versions.order_by("-number")[:VERSIONS]))),
            "considered": why.counts(recipe.pk),
            "events": recent_events(recipe, viewer(request)),
            "nodes": recent_nodes(recipe, viewer(request)),
        }
    return context


def compiled_now(recipe: Orchestration) -> Compilation:
    """What the compiler says of the text as it is stored, with the tools of now."""
    return compile_recipe(recipe.content, database_vocabulary(), layer=recipe.source_layer.value)


def tools() -> list[dict[str, str]]:
    """The tools that recipes can use, with the word that calls each, in the reader's language."""
    language = get_language() or "nb"
    words = database_vocabulary()
    return [
        {"name": tool.name, "verb": tool.alias(language), "description": tool.description.get(language, "")}
        for tool in words.ranked()
    ]


def tally(recipe: Orchestration, user: Viewer) -> dict[str, Any]:
    """How often it ran, and the last runs, as far as the viewer may see them. Index: runs_of_recipe."""
    runs = Run.objects.visible_to(user).filter(orchestration_id=recipe.pk)
    counted = runs.aggregate(all=Count("pk"), failed=Count("pk", filter=Q(status=RunStatus.FAILED)))
    return {**counted, "latest": list(runs.order_by("-created_at", "-id")[:RUNS])}


def recent_events(recipe: Orchestration, user: Viewer) -> list[dict[str, Any]]:
    """Events to try the recipe on, the latest first, by the title of what they are about."""
    found = why.recent_events(recipe, user, EVENTS)
    titles = Node.objects.filter(pk__in=[event.node_id for event in found if event.node_id]).in_bulk()
    return [
        {"id": event.pk, "at": event.created_at, "title": str(titles.get(event.node_id) or _("deleted"))}
        for event in found
    ]


def recent_nodes(recipe: Orchestration, user: Viewer) -> list[Node]:
    """What was put lately into the recipe's collections, to try it on when nothing has happened yet.

    Without the files of recordings: a recipe gets those with the recording.
    """
    homes = recipe.edges_out.filter(edge_type="belongs_to").values("target")
    rows = Node.objects.visible_to(user).filter(edges_out__edge_type="belongs_to", edges_out__target__in=homes)
    kinds = TRIED_ON[:1] if recipe.trigger.get("event") == "communication.ended" else TRIED_ON
    rows = rows.exclude(edges_in__edge_type="has_media").filter(node_kind__in=kinds)
    return list(rows.order_by("-created_at", "-id").distinct()[:NODES])


def editor_config(recipe: Orchestration | None) -> dict[str, Any]:
    """What recipe-editor.js reads: addresses, words, and the phrases of the two drop-down lists."""
    language = recipe.language if recipe else get_language() or "nb"
    if recipe is not None and recipe.content:
        language = language_of(recipe.content)
    return {
        "recipe": str(recipe.pk) if recipe else None,
        "layer": recipe.source_layer.value if recipe else "human",
        "language": language,
        "urls": {
            name: reverse(f"admin:orchestration_editor_{name}")
            for name in ("check", "complete", "trial", "draft", "want")
        },
        "events": [[one.text, one.detail] for one in event_phrases(language)],
        "conditions": [[one.text, one.detail] for one in condition_phrases(language)],
        "keywords": keywords(language),
        "texts": texts(),
    }


def keywords(language: str) -> dict[str, str]:
    """The words that begin a header line."""
    return {"en": {"when": "WHEN", "if": "IF"}, "nn": {"when": "NÅR", "if": "VISS"}}.get(
        language, {"when": "NÅR", "if": "HVIS"}
    )


def texts() -> dict[str, str]:
    """Everything that the editor says by itself."""
    return {
        "line": _("Line %(line)s"),
        "away": _("The compiler does not answer. Your text is safe here; it is checked again when it does."),
        "clean": _("No errors."),
        "one_error": _("1 error. Correct it and try again."),
        "errors": _("%(count)s errors. Correct them and try again."),
        "empty": _("Begin with NÅR, and what has to happen."),
        "want": _("Ask for the tool"),
        "wanted": _("Asked for: a work item was opened."),
        "save_first": _("Save the recipe first; then the tool can be asked for."),
        "switch": _("Write here instead? The text is replaced by this form of it; comments are kept."),
        "not_yet": _("This form appears when the text has no errors."),
        "drafting": _("Drafting …"),
        "trying": _("Trying …"),
        "starts": _("The recipe would start."),
        "starts_not": _("The recipe would not start: %(reason)s"),
        "starts_once_active": _("The recipe would start, as soon as it is active."),
        "by_hand": _("Tried on a node, as if started by hand."),
        "unresolved": _("known only when it runs: %(names)s"),
        "fallback": _("on failure"),
        "common_fallback": _("on failure of any step"),
        "unsaved": _("The text is not saved."),
        "check_tools": _("All tools exist"),
        "check_variables": _("All variables are valid"),
        "check_syntax": _("The syntax is right"),
        "missing": _("Missing: %(what)s"),
        "by_model": _("Written by %(model)s in %(rounds)s rounds."),
        "not_understood": _("Not understood: %(what)s"),
        "failed": _("It did not work: %(why)s"),
        "signed_out": _("You are signed out, or may not do this. Copy your text before you leave the page."),
        "editor": _("Recipe, editor"),
    }
