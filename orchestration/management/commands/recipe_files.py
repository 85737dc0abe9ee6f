"""`manage.py recipe_files export DIR | import FILE…`: recipes as text files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orchestration.exchange import BadFile, export_text, file_name, import_file
from orchestration.models import Orchestration
from orchestration.naming import find, find_collection


class Command(BaseCommand):
    """Writes recipes into a folder, or reads files as new drafts."""

    help = "Write recipes as text files, or read such files as new drafts."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        export = what.add_parser("export", help="write recipes into a folder")
        export.add_argument("folder", type=Path)
        export.add_argument("--recipe", action="append", metavar="NODE", help="id or title; without it, every recipe")
        read = what.add_parser("import", help="read files as new drafts")
        read.add_argument("files", nargs="+", type=Path)
        read.add_argument("--collection", action="append", default=[], metavar="ID|SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["what"] == "export":
                self._export(options["folder"], options["recipe"])
            else:
                self._import(options["files"], options["collection"])
        except (OSError, BadFile) as error:
            raise CommandError(str(error)) from error

    def _export(self, folder: Path, named: list[str] | None) -> None:
        recipes = Orchestration.objects.order_by("title", "id")
        if named:
            recipes = recipes.filter(pk__in=[find(text, Orchestration.KIND) for text in named])
        folder.mkdir(parents=True, exist_ok=True)
        written: set[str] = set()
        for recipe in recipes:
            name = file_name(recipe)
            if name in written:  # two recipes of one title
                name = f"{recipe.pk}.{name}"
            written.add(name)
            (folder / name).write_text(export_text(recipe), encoding="utf-8")
            self.stdout.write(str(folder / name))

    def _import(self, files: list[Path], collections: list[str]) -> None:
        places = [find_collection(text) for text in collections]
        for path in files:
            try:
                saved = import_file(path.read_bytes(), collections=places)
            except BadFile as error:
                raise BadFile(f"{path}: {error}") from error
            errors = saved.compilation.errors if saved.compilation else ()
            state = f"{len(errors)} errors" if errors else "compiles"
            self.stdout.write(f"{path}: {saved.id} ({state}; a draft until it is activated)")
