"""The way in: free text → a proposal, by a model where one is configured, else by the vocabulary alone.

Whatever goes wrong with a model, the person gets a proposal and a sentence that says what it was.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from orchestration.compiling import language_of, tidy
from orchestration.drafting import asking, matching
from orchestration.drafting.levels import ORDINARY, level
from orchestration.drafting.prompt import system_prompt
from orchestration.drafting.proposal import MODEL, VOCABULARY, Proposal, propose
from orchestration.language import Vocabulary
from orchestration.models import Orchestration
from orchestration.states import Executor
from orchestration.vocabulary import database_vocabulary
from synops.llm.endpoint import Endpoint, endpoint_of
from synops.llm.failures import ModelFailure

if TYPE_CHECKING:
    from synops.graph.access import Viewer

MAX_WISH = 8_000
"""Characters of a wish that are read."""


@dataclass(frozen=True)
class Wish:
    """What a person describes. `executor` bot: with the tools there are; dream: whatever it takes.

    `viewer` None = the system; else the examples that a model is shown are recipes which they may see.
    """

    text: str
    executor: str = Executor.BOT.value
    intelligence: int = ORDINARY
    effort: int = ORDINARY
    language: str = ""
    viewer: Viewer | None = None

    @property
    def dreams(self) -> bool:
        return self.executor == Executor.DREAM


def wish_of(recipe: Orchestration, viewer: Viewer | None = None) -> Wish:
    """The wish that a recipe in free text is. A script's text may be one too: it is then written anew."""
    return Wish(
        text=recipe.content,
        executor=recipe.executor.value,
        intelligence=recipe.intelligence,
        effort=recipe.effort,
        language=recipe.language,
        viewer=viewer,
    )


def draft(wish: Wish, environ: Mapping[str, str] = os.environ) -> Proposal:
    """A proposal; saves nothing. Takes at most DRAFT_TIMEOUT_SECONDS and the wait for a slot of synops.llm."""
    text = tidy(wish.text)[:MAX_WISH]
    language = wish.language or language_of(text)
    words = database_vocabulary()
    try:
        endpoint = endpoint_of(environ)
        if endpoint is not None and text.strip():
            return _by_model(endpoint, wish, text, words, language)
    except ModelFailure as failure:
        return _by_vocabulary(wish, text, words, language, failure=str(failure))
    return _by_vocabulary(wish, text, words, language, advice="" if endpoint else _advice())


def draft_for(recipe_id: UUID, viewer: Viewer | None = None, environ: Mapping[str, str] = os.environ) -> Proposal:
    """The same for a recipe that is kept as free text. Raises Orchestration.DoesNotExist."""
    return draft(wish_of(Orchestration.objects.get(pk=recipe_id), viewer), environ)


def _by_model(endpoint: Endpoint, wish: Wish, text: str, words: Vocabulary, language: str) -> Proposal:
    chosen = level(wish.intelligence, wish.effort)
    prompt = system_prompt(chosen, viewer=wish.viewer, dream=wish.dreams)
    seconds = settings.DRAFT_TIMEOUT_SECONDS
    written = asking.write(endpoint, prompt, text, words, chosen, seconds, dream=wish.dreams)
    told = {"model": written.model, "rounds": written.rounds, "usage": written.usage.to_json()}
    return propose(written.script, words, language, MODEL, **told)


def _by_vocabulary(wish: Wish, text: str, words: Vocabulary, language: str, **told: Any) -> Proposal:
    matched = matching.match(text, words, language, keep_unknown=wish.dreams)
    return propose(matched.script, words, language, VOCABULARY, not_understood=tuple(matched.not_understood), **told)


def _advice() -> str:
    return _(
        "This draft was put together from words that tools know, without a language model. For more, set "
        "SYNOPS_LLM_BASE_URL and SYNOPS_LLM_MODEL, or ask for it “eventually”."
    )
