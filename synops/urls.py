"""HTTP routes of the whole product. All but health, published files and the language switch needs a login or a token."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from synops.site.health import alive, health
from synops.site.language import choose_language
from synops.site.nodes.files import node_file
from synops.site.public import public
from synops.site.stored_files import stored_file

urlpatterns: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("health", health, name="health"),
    path("alive", alive, name="alive"),
    path("public/<path:path>", public, name="public"),
    path("admin/files/<uuid:node_id>", node_file, name="node-file"),
    path("store/<str:digest>", stored_file, name="store"),
    path("i18n/setlang/", choose_language, name="set_language"),
    path("", include("synops.site.api.urls")),  # before the admin: /admin/jobs and /admin/resources are the API's
    path("admin/", admin.site.urls),
]
