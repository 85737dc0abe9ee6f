"""`manage.py create_token`: makes an API token. stdout is the secret alone, so that it can be piped into a file."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from synops.site.models import ApiToken
from synops.site.tokens import create_token
from synops.store.collections import UnknownCollection, find_collection


class Command(BaseCommand):
    """Makes a token for a program: a remote worker, a script, a service."""

    help = "Make an API token. Prints its secret, which can't be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what uses it, for example “gpu-1”")
        parser.add_argument(
            "--scope", action="append", required=True, choices=ApiToken.Scope.values, help="may be given several times"
        )
        parser.add_argument("--user", required=True, help="the login it acts for")
        parser.add_argument("--collection", help="id or slug; needed for the scope hooks, whose jobs go there")
        parser.add_argument("--days", type=int, help="ends after so many days; without it never")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self._collection(options["collection"])
        if "hooks" in options["scope"] and collection is None:
            raise CommandError("The scope hooks needs --collection: the one that its jobs go into.")
        if options["days"] is not None and options["days"] < 1:
            raise CommandError("--days must be at least 1.")
        owner = self._owner(options["user"])
        token, secret = create_token(options["name"], options["scope"], owner, collection, options["days"])
        self.stdout.write(secret)
        self.stderr.write(f"Token “{token.name}” ({', '.join(token.scopes)}). Keep it safe: it can't be shown again.")

    def _owner(self, name: str) -> User:
        try:
            owner: User = get_user_model().objects.get(username=name, is_active=True)
        except get_user_model().DoesNotExist as error:
            raise CommandError(f"There is no active user {name}. Make one: manage.py createsuperuser.") from error
        return owner

    def _collection(self, name: str | None) -> UUID | None:
        if name is None:
            return None
        try:
            with connection.cursor() as cursor:
                return find_collection(cursor, name)
        except UnknownCollection as error:
            raise CommandError(f"{str(error).capitalize()}.") from error
