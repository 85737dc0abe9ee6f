"""`manage.py recipe_language_server`: recipes in VS Code, Neovim and other editors, over standard input and output."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.language.front import USAGE
from orchestration.vocabulary import BadVocabulary, database_vocabulary, file_vocabulary


class Command(BaseCommand):
    """Reads the vocabulary once, then serves until the editor hangs up."""

    help = "Serve the recipe language to an editor over standard input and output (language server protocol)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tools", metavar="DIR|JSON", help="the vocabulary from there; needs no database")
        parser.add_argument(
            "--lang", choices=("nb", "nn", "en"), default="nb", help="language of messages and proposals"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from orchestration.language_server import build_server
        except ImportError as error:
            raise CommandError(
                "the language server needs pygls: pip install -r requirements-dev.txt", returncode=USAGE
            ) from error
        try:
            words = file_vocabulary(options["tools"]) if options["tools"] else database_vocabulary()
        except BadVocabulary as error:
            raise CommandError(str(error), returncode=USAGE) from error
        build_server(words, options["lang"]).start_io()
