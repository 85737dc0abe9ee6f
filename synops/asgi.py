"""ASGI entry: HTTP with static files, and the live view's socket."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synops.settings")

from asgiref.sync import ThreadSensitiveContext
from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application
from django.urls import path

from synops import database

database.enter()  # before the first query; does nothing when DATABASE_URL names a server
http = ASGIStaticFilesHandler(get_asgi_application())

# After get_asgi_application(), which loads the apps and their models.
from jobs.live.shutdown import close_sockets_before_shutdown  # noqa: E402
from jobs.live.socket import live_socket  # noqa: E402

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


async def own_thread(scope: Scope, receive: Receive, send: Send) -> None:
    """Queries of one socket do not wait for another's: without this all share one thread."""
    async with ThreadSensitiveContext():
        await sockets(scope, receive, send)


sockets = AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter([path("live/", live_socket)])))
application = ProtocolTypeRouter({"http": http, "websocket": own_thread})
close_sockets_before_shutdown()
