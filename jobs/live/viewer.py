"""Who sits behind a socket, from the session as it is in the database now."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest

from jobs.live.closing import FORBIDDEN, SIGNED_OUT, Refused
from jobs.live.mailbox import Viewer
from jobs.live.topics import topics


def viewer_of(session_key: str | None) -> Viewer:
    """The viewer whom the session belongs to. Raises Refused: signed out, no staff, or nothing that they may watch.

    The session is read anew, so a logout, a changed password and a lost right all count.
    """
    session = cast("Any", import_module(settings.SESSION_ENGINE)).SessionStore(session_key)
    user = auth.get_user(cast("HttpRequest", SimpleNamespace(session=session)))
    if not user.is_authenticated:
        raise Refused(SIGNED_OUT)
    person = cast("AbstractUser", user)
    if not (person.is_active and person.is_staff):
        raise Refused(FORBIDDEN)
    kinds = topics.permitted(person.has_perm)
    if not kinds:
        raise Refused(FORBIDDEN)
    return Viewer(person.pk, person.is_superuser, kinds)
