"""`manage.py revoke_token`: ends API tokens at once; without a name it lists those that are valid."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from synops.site.models import ApiToken
from synops.site.tokens import revoke, valid_tokens


class Command(BaseCommand):
    """Ends tokens by name."""

    help = "End the API tokens of this name. Without a name: list the valid ones."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="as it was given to create_token")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] is None:
            self._list(valid_tokens())
            return
        ended = sum(revoke(token.pk) for token in valid_tokens().filter(name=options["name"]))
        if not ended:
            raise CommandError(
                f"There is no valid token “{options['name']}”. Without a name the valid ones are listed."
            )
        self.stdout.write(f"{ended} ended.")

    def _list(self, tokens: QuerySet[ApiToken]) -> None:
        for token in tokens:
            used = f"used {token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never used"
            self.stdout.write(f"{token.name}\t{','.join(token.scopes)}\t{token.owner.get_username()}\t{used}")
