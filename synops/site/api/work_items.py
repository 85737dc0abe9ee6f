"""Work items that somebody outside takes and answers with a script; a person approves it, nothing of it runs before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from orchestration import answers, item_actions
from orchestration.recipes import CannotActivate
from synops.site.api.endpoint import Answer, Call
from synops.site.api.jobs import moment
from synops.site.api.problems import Problem, forbidden, not_found


def waiting(call: Call) -> Answer:
    """Items that nobody holds, the oldest first."""
    found = answers.waiting(call.caller.user, tag=call.request.GET.get("tag", "")[:200])
    return Answer({"items": [_shown(item) for item in found]})


def _shown(item: Any) -> dict[str, Any]:
    return {
        "id": str(item.pk),
        "title": item.title,
        "text": item.content,
        "tags": list(item.tag_names or ()),
        "times": item.times,
        "created_at": moment(item.created_at),
    }


def _answering(act: Callable[[Call, UUID], Answer]) -> Callable[[Call], Answer]:
    """Say what the functions raise as problems."""

    def view(call: Call) -> Answer:
        item = UUID(call.body["work_item_id"])
        try:
            return act(call, item)
        except answers.NotThere as error:
            raise not_found() from error
        except PermissionError as error:
            raise forbidden(str(error).partition(" ")[0]) from error
        except (answers.Taken, answers.Lost) as error:
            raise Problem(409, "taken", str(error)) from error
        except answers.DoesNotCompile as error:
            detail = _("The script has errors; the claim stays.")
            raise Problem(422, "does_not_compile", detail, record=error.record) from error
        except (answers.CannotApprove, CannotActivate) as error:
            raise Problem(409, "wrong_state", str(error)) from error

    return view


def _claim(call: Call, item: UUID) -> Answer:
    held = item_actions.claim(call.caller.user, item, seconds=call.body.get("seconds", 3600))
    return Answer({"work_item_id": str(item), "lease": held.lease, "until": moment(held.until), "brief": held.brief})


def _release(call: Call, item: UUID) -> Answer:
    item_actions.give_back(call.caller.user, item, call.body["lease"])
    return Answer({"work_item_id": str(item)})


def _answer(call: Call, item: UUID) -> Answer:
    body = call.body
    given = item_actions.answer(call.caller.user, item, body["lease"], body["text"], note=body.get("note", ""))
    return Answer({"work_item_id": str(item), "version": given.version}, status=202)


def _approve(call: Call, item: UUID) -> Answer:
    approved = item_actions.approve(call.caller.user, item, activate=call.body.get("activate", False))
    run = str(approved.run_id) if approved.run_id else None
    return Answer({"work_item_id": str(item), "run_id": run, "problem": approved.problem})


claim, release, answer, approve = map(_answering, (_claim, _release, _answer, _approve))
