"""ASGI entry: HTTP with static files, and the live view's socket."""

from __future__ import annotations

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synops.settings")

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from channels.sessions import CookieMiddleware
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application
from django.urls import path

from synops import database

database.enter()  # before the first query; does nothing when DATABASE_URL names a server
http = ASGIStaticFilesHandler(get_asgi_application())

# After get_asgi_application(), which loads the apps and their models.
from jobs.live.shutdown import close_sockets_before_shutdown  # noqa: E402
from jobs.live.socket import live_socket  # noqa: E402

# The socket reads its session itself, again and again, and needs no more of it than the cookie.
sockets = AllowedHostsOriginValidator(CookieMiddleware(URLRouter([path("live/", live_socket)])))
application = ProtocolTypeRouter({"http": http, "websocket": sockets})
close_sockets_before_shutdown()

# What is loaded by now stays. Looking through all of it again and again was a seventh of the work of telling a thousand
# sockets of a change, and a pause of 0.2 s each time; and with every message making garbage, 700 objects are soon made.
gc.freeze()
gc.set_threshold(20_000, 10, 10)
