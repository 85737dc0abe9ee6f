"""The one way to change a priority rule while everything runs: the admin page and the API both go through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from resources.models import PriorityRule

CHANGEABLE = tuple(
    field.name for field in PriorityRule._meta.concrete_fields if field.name not in ("job_type", "updated_at")
)


class RuleRefused(ValueError):
    """A change that can't be made. `problems` has sentences by field, in the language of the reader."""

    def __init__(self, problems: Mapping[str, list[str]]) -> None:
        super().__init__("; ".join(f"{field}: {' '.join(said)}" for field, said in problems.items()))
        self.problems = dict(problems)


@dataclass(frozen=True)
class RuleChange:
    """What a change did: only the fields whose value is another now, before (None for a new rule) and after."""

    job_type: str
    created: bool
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def update_rule(job_type: str, fields: Mapping[str, Any]) -> RuleChange:
    """Create the rule of a type or change the given fields of it. Raises RuleRefused, and then nothing has changed.

    Claims read the rules fresh, and waiting workers are woken, so it acts at once; what runs already runs on under the
    limits that it began with. Writing to the audit log is the caller's part, who knows who asked.
    """
    with transaction.atomic():
        rule, created = _locked(job_type)
        before = {name: getattr(rule, name) for name in CHANGEABLE}
        _apply(rule, fields)
        after = {name: getattr(rule, name) for name in CHANGEABLE if created or getattr(rule, name) != before[name]}
        if after:
            _store(rule, created)
    return RuleChange(job_type, created, {} if created else {name: before[name] for name in after}, after)


def weight_problem(weight: int) -> str | None:
    """What is wrong with a weight that no machine can carry: its jobs would wait for ever."""
    if weight <= settings.MAX_TOTAL_WEIGHT:
        return None
    text = _("A job of weight %(weight)d would never run: a machine carries %(budget)d (MAX_TOTAL_WEIGHT).")
    return text % {"weight": weight, "budget": settings.MAX_TOTAL_WEIGHT}


def _locked(job_type: str) -> tuple[PriorityRule, bool]:
    """The rule, held until the transaction ends so that two changes do not lose one another's fields.

    The advisory lock is for a rule that is not there yet: no row can be locked then.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('synops.rule'), hashtext(%s))", [job_type])
    rule = PriorityRule.objects.select_for_update().filter(pk=job_type).first()
    return (PriorityRule(job_type=job_type), True) if rule is None else (rule, False)


def _apply(rule: PriorityRule, fields: Mapping[str, Any]) -> None:
    problems: dict[str, list[str]] = {name: [_("There is no such field.")] for name in fields if name not in CHANGEABLE}
    for name in CHANGEABLE:
        if name in fields and (problem := _wrong_type(name, fields[name])):
            problems[name] = [problem]
        elif name in fields:
            setattr(rule, name, fields[name])
    try:
        rule.clean_fields(exclude={"updated_at", *problems})
    except ValidationError as error:
        problems |= error.message_dict
    if "cpu_weight" not in problems and (heavy := weight_problem(rule.cpu_weight)):
        problems["cpu_weight"] = [heavy]
    if problems:
        raise RuleRefused(problems)


def _wrong_type(name: str, value: Any) -> str | None:
    """JSON has types; Django would make 1 of true and of 1.9."""
    field: Any = PriorityRule._meta.get_field(name)
    if isinstance(field, models.BooleanField):
        return None if isinstance(value, bool) else _("It must be true or false.")
    if value is None:
        return None if field.null else _("It can't be empty.")
    return None if isinstance(value, int) and not isinstance(value, bool) else _("It must be a whole number.")


def _store(rule: PriorityRule, created: bool) -> None:
    rule.updated_at = Now()
    rule.save(force_insert=created, force_update=not created)
    with connection.cursor() as cursor:  # sent at the commit; a rule that has become wider lets jobs start now
        cursor.execute("SELECT pg_notify('synops_work', '')")
