"""Admin pages of the queue."""

from __future__ import annotations

from django.contrib import admin

from jobs.admin.clockwork import PipelineStepAdmin, ScheduleAdmin
from jobs.admin.job import JobAdmin
from jobs.models import Job, PipelineStep, Schedule

admin.site.register(Job, JobAdmin)
admin.site.register(Schedule, ScheduleAdmin)
admin.site.register(PipelineStep, PipelineStepAdmin)
