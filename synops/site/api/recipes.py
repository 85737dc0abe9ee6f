"""Recipe texts through the compiler: the same that commands, the editor and drafting use. Saves nothing."""

from __future__ import annotations

from django.utils.translation import get_language

from orchestration.compiling import check
from synops.site.api.endpoint import Answer, Call


def compile_text(call: Call) -> Answer:
    """The record of a compilation: diagnostics, lines and the compiled form; errors in the text are no problem here."""
    language = call.body.get("language") or get_language() or "nb"
    return Answer(check(call.body["text"], layer=call.body.get("layer", "auto"), language=language))
