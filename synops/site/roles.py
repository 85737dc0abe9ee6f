"""The four roles as groups: reader, operator, editor, administrator. What each may is docs/roles.md; who sees what is edges'.

Seeded after every migration: a missing group is made, missing rights are added. What an administrator adds stays.
"""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

SEEN = (
    "jobs.view_job", "jobs.view_schedule", "jobs.view_pipelinestep", "orchestration.view_orchestration",
    "orchestration.view_run", "orchestration.view_workitem", "resources.view_worker", "resources.view_diskreading",
    "resources.view_priorityrule", "graph.view_node", "graph.view_edge", "graph.view_downloadcount",
    "cases.view_casefile", "cases.view_document", "cases.view_evaluation", "cases.view_scheme", "cases.view_casestatus",
)  # fmt: skip
OPERATED = (
    "jobs.enqueue_job", "jobs.retry_job", "jobs.cancel_job", "jobs.run_now_job", "jobs.defer_job",
    "jobs.prioritise_job", "jobs.delete_job", "resources.add_priorityrule", "resources.change_priorityrule",
    "resources.drain_worker", "resources.switch_live_call", "orchestration.cancel_run", "orchestration.rerun_run",
    "orchestration.close_workitem", "graph.view_graphevent", "jobs.run_schedule", "jobs.change_schedule",
    "jobs.reanalyse_unit", "jobs.view_repair", "cases.reanalyse_casefile",
)  # fmt: skip
EDITED = (
    "jobs.enqueue_job", "jobs.retry_job", "jobs.cancel_job", "orchestration.add_orchestration",
    "orchestration.change_orchestration", "orchestration.activate_orchestration", "orchestration.cancel_run",
    "orchestration.rerun_run", "orchestration.close_workitem", "orchestration.run_orchestration",
    "orchestration.answer_workitem", "graph.add_node", "graph.change_node", "graph.add_edge", "graph.change_edge",
    "graph.delete_edge", "cases.reanalyse_casefile",
)  # fmt: skip
OWN_TOKENS = ("site.view_apitoken", "site.add_apitoken", "site.revoke_apitoken")
"""A token may do no more than its owner, and nobody but a superuser sees those of others."""

ADMINISTERED = (
    "graph.manage_access", "graph.delete_node", "orchestration.delete_orchestration", "auth.view_user", "auth.add_user",
    "auth.change_user", "auth.view_group", "resources.delete_priorityrule", "cases.change_scheme",
    "cases.change_casestatus",
)  # fmt: skip

ROLES: dict[str, tuple[str, ...]] = {
    "reader": SEEN,
    "operator": (*SEEN, *OPERATED, *OWN_TOKENS),
    "editor": (*SEEN, *EDITED, *OWN_TOKENS),
    "administrator": tuple(dict.fromkeys((*SEEN, *OPERATED, *EDITED, *OWN_TOKENS, *ADMINISTERED))),
}


def seed_roles(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """`post_migrate`: the rights of one app come to exist with it, so each call adds what is there by now."""
    if sender.label not in APPS:
        return
    create_permissions(sender, verbosity=0, using=using)
    for name, rights in ROLES.items():
        group, _made = Group.objects.using(using).get_or_create(name=name)
        codes = [right.partition(".")[2] for right in rights if right.startswith(f"{sender.label}.")]
        group.permissions.add(
            *Permission.objects.using(using).filter(content_type__app_label=sender.label, codename__in=codes)
        )


APPS = {right.partition(".")[0] for rights in ROLES.values() for right in rights}
