"""Admin pages of recipes: their text, their runs, and what they leave for people to do."""

from __future__ import annotations

from django.contrib import admin

from orchestration.admin.recipes import RecipeAdmin
from orchestration.admin.runs import RunAdmin
from orchestration.admin.work_items import WorkItemAdmin
from orchestration.models import Orchestration, Run, WorkItem

admin.site.register(Orchestration, RecipeAdmin)
admin.site.register(Run, RunAdmin)
admin.site.register(WorkItem, WorkItemAdmin)
