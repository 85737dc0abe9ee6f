"""`manage.py draft_orchestration TEXT…`: free text → a script, by a model or by words; or the prompt that a model gets."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.drafting.drafts import Wish, draft, wish_of
from orchestration.drafting.keeping import keep
from orchestration.drafting.levels import level
from orchestration.drafting.prompt import system_prompt
from orchestration.drafting.proposal import Proposal
from orchestration.models import Orchestration
from orchestration.naming import find

WRONG = 1
LEVELS = (1, 2, 3)


class Command(BaseCommand):
    """Thin: reads the wish, asks for a draft, prints it. Exit 0 when it compiles, 1 when it does not."""

    help = "Write a script from free text; the compiler checks it. Saves nothing without --keep. Exits with 1 if it has errors."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("text", nargs="*", help="what the recipe should do; - is standard input")
        parser.add_argument("--node", metavar="NODE", help="id or title of a recipe in free text, in place of TEXT")
        parser.add_argument("--keep", action="store_true", help="with --node: save the draft as its script")
        parser.add_argument("--dream", action="store_true", help="tools that do not exist may be wished for")
        parser.add_argument(
            "--intelligence", type=int, choices=LEVELS, default=2, help="small, ordinary or large model"
        )
        parser.add_argument("--effort", type=int, choices=LEVELS, default=2, help="rounds and context")
        parser.add_argument("--format", choices=("text", "json"), default="text")
        parser.add_argument(
            "--generate-system-prompt",
            action="store_true",
            help="print what a model is told: tools, events, grammar and recipes of this database",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["generate_system_prompt"]:
            chosen = level(options["intelligence"], options["effort"])
            self.stdout.write(system_prompt(chosen, dream=options["dream"]), ending="")
            return
        node = find(options["node"], Orchestration.KIND) if options["node"] else None
        found = draft(wish_of(Orchestration.objects.get(pk=node)) if node else self._wish(options))
        self._print(found, options["format"])
        if options["keep"]:
            if node is None:
                raise CommandError("--keep needs --node: the recipe whose script this becomes")
            keep(node, found.text)
        if not found.compiles:
            sys.exit(WRONG)

    def _wish(self, options: dict[str, Any]) -> Wish:
        if not options["text"]:
            raise CommandError("say what the recipe should do, or give --node")
        text = sys.stdin.read() if options["text"] == ["-"] else " ".join(options["text"])
        executor = "dream" if options["dream"] else "bot"
        return Wish(text, executor, options["intelligence"], options["effort"])

    def _print(self, found: Proposal, form: str) -> None:
        """The script on standard output, everything about it beside it."""
        if form == "json":
            self.stdout.write(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
            return
        self.stdout.write(found.text, ending="")
        for sentence in sentences(found):
            self.stderr.write(sentence, style_func=str)


def sentences(found: Proposal) -> list[str]:
    """What a person should know of a draft besides its text."""
    said = [f"model: {found.failure}"] if found.failure else []
    said += [found.advice] if found.advice else []
    said += [f"not understood: {text}" for text in found.not_understood]
    for check in found.checks:
        said += [f"✓ {check.name}"] if check.ok else [f"✗ {check.name}: {problem}" for problem in check.problems]
    return said
