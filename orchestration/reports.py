"""What a work item says about a failed step: title and text, in the recipe's language."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import override

from orchestration.run_state import RunState, Step
from orchestration.states import Reason
from synops.store.masking import mask_text
from synops.store.sql import Cursor

LOG_LINES = 20
LOG_CHARACTERS = 4000


def shown_language(language: str) -> str:
    """The language that texts of a recipe in `language` have: nynorsk recipes get bokmål."""
    return "en" if language == "en" else "nb"


def cause(step: Step) -> str:
    """Equal for two failures that a person would call the same."""
    return f"{step.step}:{step.tool}:{step.reason}:{step.exit_code if step.exit_code is not None else ''}"


def title(run: RunState, failed: Step | None) -> str:
    """The title of an automatic work item."""
    with override(shown_language(run.language)):
        if failed is None or failed.step == 0:
            return _("“%(recipe)s” failed") % {"recipe": run.title}
        return _("“%(recipe)s” failed at step %(step)s") % {"recipe": run.title, "step": run.number(failed.step)}


def report(run: RunState, failed: Step | None, command: Sequence[str] | None, log: str) -> str:
    """The text of a work item: what ran, how it ended, and the last lines of its log."""
    with override(shown_language(run.language)):
        lines = [_("Recipe: %(title)s (version %(version)s)") % {"title": run.title, "version": run.version}]
        if failed is not None:
            lines += _failure(run, failed, command)
        lines.append(_("Run: %(run)s") % {"run": run.id})
        if log:
            lines += ["", _("Last lines of the log:"), log]
    return "\n".join(lines)


def _failure(run: RunState, failed: Step, command: Sequence[str] | None) -> list[str]:
    lines = []
    if failed.step:
        where = {"step": run.number(failed.step), "line": failed.line, "text": failed.text}
        lines.append(_("Step %(step)s (line %(line)s): %(text)s") % where)
    else:
        lines.append(_("The recipe's own fallback"))
    lines.append(_("Command: %(command)s") % {"command": shlex.join(command) if command else failed.tool})
    lines.append(_("Reason: %(reason)s") % {"reason": Reason(failed.reason).said})
    if failed.exit_code is not None:
        lines.append(_("Exit code: %(code)s") % {"code": failed.exit_code})
    if failed.error:
        lines.append(_("Message: %(message)s") % {"message": mask_text(failed.error.strip())})
    return lines


def last_log_lines(cursor: Cursor, job_id: UUID | None) -> str:
    """The end of the log of a job's last attempt, with secrets masked."""
    if job_id is None:
        return ""
    cursor.execute(
        """SELECT text FROM job_log
           WHERE job_id = %(job)s AND lease = (SELECT max(lease) FROM job_log WHERE job_id = %(job)s)
           ORDER BY seq DESC LIMIT 3""",
        {"job": job_id},
    )
    text = "".join(row[0] for row in reversed(cursor.fetchall()))
    return mask_text("\n".join(text.strip().splitlines()[-LOG_LINES:])[-LOG_CHARACTERS:])
