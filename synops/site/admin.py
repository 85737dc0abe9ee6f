"""What the site registers with the admin. Importing Django's own accounts first lets ours take their place."""

from __future__ import annotations

from django.contrib import admin

from synops.site import accounts

accounts.register(admin.site)
