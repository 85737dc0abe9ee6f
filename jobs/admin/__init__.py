"""Admin pages of the queue."""

from __future__ import annotations

from django.contrib import admin

from jobs.admin.bulk_operations import BulkOperationAdmin
from jobs.admin.job import JobAdmin
from jobs.admin.pipelines import GenerationAdmin, PipelineStepAdmin
from jobs.admin.schedules import ScheduleAdmin
from jobs.models import BulkOperation, Generation, Job, PipelineStep, Schedule

admin.site.register(Job, JobAdmin)
admin.site.register(BulkOperation, BulkOperationAdmin)
admin.site.register(Schedule, ScheduleAdmin)
admin.site.register(Generation, GenerationAdmin)
admin.site.register(PipelineStep, PipelineStepAdmin)
