"""`manage.py compile_orchestration FILE|-|--node UUID`: what a recipe compiles to, or what is wrong with it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.language import Vocabulary
from orchestration.language.front import FORMATS, FORMS, USAGE, WRONG, Answer, Wish, answer, explanation, fixed
from orchestration.vocabulary import BadVocabulary, database_vocabulary, file_vocabulary


@dataclass(frozen=True)
class Recipe:
    """A text to compile: `path` when it is a file, `stored` the metadata of the node that keeps it."""

    name: str
    text: str
    path: Path | None = None
    stored: Mapping[str, Any] | None = None


class Command(BaseCommand):
    """Thin: reads texts, asks `orchestration.language`, prints. Exit 0 clean, 1 errors, 2 usage or files."""

    help = (
        "Compile recipes and say what is wrong with them. Exit status: 0 clean, 1 errors, 2 usage or unreadable files."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="files with recipes; - is standard input")
        parser.add_argument("--node", metavar="UUID", help="the recipe of this node")
        parser.add_argument("--all", action="store_true", help="every recipe in the database")
        parser.add_argument("--to", choices=FORMS, default="", help="print the recipe in this form")
        parser.add_argument("--from", dest="layer", choices=("auto", "human", "technical"), default="auto")
        parser.add_argument(
            "--lang", choices=("nb", "nn", "en"), default="nb", help="language of --to human and of messages"
        )
        parser.add_argument("--format", choices=FORMATS, default="text")
        parser.add_argument("--tools", metavar="DIR|JSON", help="the vocabulary from there; needs no database")
        parser.add_argument("--fix", action="store_true", help="make every fix that needs no decision, in the files")
        parser.add_argument("--check", action="store_true", help="print no form; fail when what is stored differs")
        parser.add_argument("--deny-warnings", action="store_true", help="warnings fail too")
        parser.add_argument("--explain", metavar="CODE", help="explain an error code")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["explain"]:
            self._explain(options["explain"], options["lang"])
            return
        vocabulary = self._vocabulary(options["tools"])
        wish = self._wish(options)
        status = 0
        for recipe in self._recipes(options):
            if options["fix"]:
                recipe = self._fixed(recipe, vocabulary, wish.layer)
            found = answer(recipe.name, recipe.text, vocabulary, wish, recipe.stored)
            self._print(found, fixing_stdin=options["fix"] and recipe.name == "-", recipe=recipe)
            status = max(status, found.status)
        if status:
            sys.exit(WRONG)

    def _explain(self, code: str, language: str) -> None:
        found = explanation(code, language)
        if found is None:
            raise CommandError(f"there is no code {code!r}; codes look like ORK-301", returncode=USAGE)
        self.stdout.write(found, ending="")

    def _vocabulary(self, place: str | None) -> Vocabulary:
        try:
            return file_vocabulary(place) if place else database_vocabulary()
        except BadVocabulary as error:
            raise CommandError(str(error), returncode=USAGE) from error

    def _wish(self, options: Mapping[str, Any]) -> Wish:
        return Wish(
            to=options["to"],
            layer=options["layer"],
            lang=options["lang"],
            format=options["format"],
            check=options["check"],
            deny_warnings=options["deny_warnings"],
            colour=not options["no_color"] and (self.stdout.isatty() or options["force_color"]),
        )

    def _recipes(self, options: Mapping[str, Any]) -> Iterator[Recipe]:
        if sum(map(bool, (options["files"], options["node"], options["all"]))) != 1:
            usage("give files, or - for standard input, or --node UUID, or --all")
        if (options["node"] or options["all"]) and (options["tools"] or options["fix"]):
            usage("--tools and --fix are for files: the recipes of nodes are in the database")
        if options["files"]:
            yield from map(read_file, options["files"])
        else:
            yield from read_nodes(options["node"])

    def _fixed(self, recipe: Recipe, vocabulary: Vocabulary, layer: str) -> Recipe:
        text = fixed(recipe.text, vocabulary, layer)
        if recipe.path is not None and text != recipe.text:
            recipe.path.write_text(text, encoding="utf-8")
        return Recipe(recipe.name, text, recipe.path, recipe.stored)

    def _print(self, found: Answer, *, fixing_stdin: bool, recipe: Recipe) -> None:
        """A recipe fixed from standard input goes to standard output, what is left to say beside it."""
        out, err = (recipe.text, found.out + found.err) if fixing_stdin else (found.out, found.err)
        self.stdout.write(out, ending="")
        self.stderr.write(err, ending="", style_func=str)


def usage(sentence: str) -> NoReturn:
    raise CommandError(sentence, returncode=USAGE)


def read_file(name: str) -> Recipe:
    """A file, or standard input for -. Bytes that are no UTF-8 are shown as replacements, never an exception."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        usage(f"{name}: {error.strerror}")
    return Recipe(name, raw.decode("utf-8", errors="replace"), None if name == "-" else Path(name))


def read_nodes(node: str | None) -> Iterator[Recipe]:
    """The recipe of one node, or every recipe."""
    from synops.graph.models import Node

    found = Node.objects.filter(node_kind="orchestration").order_by("title", "id")
    if node is not None:
        if not re.fullmatch(r"[0-9a-fA-F-]{32,36}", node):
            usage(f"{node!r} is no node id")
        found = found.filter(pk=UUID(node))
        if not found.exists():
            usage(f"there is no recipe {node}")
    for recipe in found.iterator():
        yield Recipe(str(recipe.pk), recipe.content, stored=recipe.metadata)
