"""The admin site: the product's face."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.utils.translation import gettext_lazy as _


class SynopsAdminSite(AdminSite):
    """The stock admin under the product's name."""

    site_header = _("Synops")
    site_title = _("Synops")
    index_title = _("Overview")
    enable_nav_sidebar = True
