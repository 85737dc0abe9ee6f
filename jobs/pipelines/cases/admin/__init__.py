"""Admin pages of the case pipeline."""

from __future__ import annotations

from django.contrib import admin

from jobs.pipelines.cases.admin.case import CaseAdmin
from jobs.pipelines.cases.admin.master_data import CaseStatusAdmin, SchemeAdmin, SyncAdmin
from jobs.pipelines.cases.models import CaseFile, CaseStatus, Scheme, Sync

admin.site.register(CaseFile, CaseAdmin)
admin.site.register(Scheme, SchemeAdmin)
admin.site.register(CaseStatus, CaseStatusAdmin)
admin.site.register(Sync, SyncAdmin)
