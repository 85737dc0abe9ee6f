"""What the site registers with the admin. Importing Django's own accounts first lets ours take their place."""

from __future__ import annotations

from django.contrib import admin

from synops.site import accounts
from synops.site.models import ApiToken
from synops.site.token_pages import TokenAdmin

accounts.register(admin.site)
admin.site.register(ApiToken, TokenAdmin)
