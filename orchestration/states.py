"""The states of a recipe, a run and a step, and the reasons for what a run did not do, as codes with their words."""

from __future__ import annotations

from django.db.models import TextChoices
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _


class RecipeState(TextChoices):
    """Whether a recipe reacts to events. Only an active one does."""

    DRAFT = "draft", _("draft")
    ACTIVE = "active", _("active")
    BROKEN = "broken", _("broken")


class Executor(TextChoices):
    """How a recipe is written. Only `script` runs; the others are states of drafting."""

    SCRIPT = "script", _("Script")
    BOT = "bot", _("Free text")
    DREAM = "dream", _("Dream mode")


class Layer(TextChoices):
    """In which of its two layers a recipe's text is written."""

    HUMAN = "human", _("plain language")
    TECHNICAL = "technical", _("technical")


class VersionStatus(TextChoices):
    """What a version is. A proposed one answers a work item and becomes the recipe's text when a person approves it."""

    SAVED = "saved", _("saved")
    PROPOSED = "proposed", _("proposed")
    REJECTED = "rejected", _("sent back")


class RunStatus(TextChoices):
    RUNNING = "running", _("running")
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")
    EXCLUDED = "excluded", _("excluded")


class StepState(TextChoices):
    """One alternative of one step. A started one has a job that is not yet known to have finished."""

    STARTED = "started", _("started")
    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")
    EXCLUDED = "excluded", _("excluded")


class LogStatus(TextChoices):
    """The spec's three: a cancelled step is `failed`, an excluded one `skipped`, each with its reason."""

    OK = "ok", _("ok")
    FAILED = "failed", _("failed")
    SKIPPED = "skipped", _("skipped")


class Reason(TextChoices):
    """Why a recipe did not run, a step did not succeed, or a cascade stopped."""

    NONE = "", ""
    # An event reached no run (“Why didn't it run?”).
    OTHER_EVENT = "other_event", _("the recipe waits for another event")
    OTHER_COLLECTION = "other_collection", _("the recipe belongs to another collection")
    CONDITION = "condition", _("a condition did not hold")
    NOT_OBSERVED = "not_observed", _("the recipe watches other nodes")
    TOMBSTONE = "tombstone", _("the recipe was told never to react here")
    NODE_GONE = "node_gone", _("the node was deleted before the event was handled")
    # A cascade, or an event that a run caused, was stopped.
    CYCLE = "cycle", _("the recipe has run earlier in this chain")
    DEPTH = "depth", _("the chain is too long")
    INACTIVE = "inactive", _("the recipe is not active")
    NOT_A_RECIPE = "not_a_recipe", _("the target is no recipe")
    # A step did not succeed.
    MISSING_VALUE = "missing_value", _("a value was missing")
    REFUSED = "refused", _("the queue refused the job")
    OUTSIDE = "outside", _("it named something outside the collection")
    JOB_FAILED = "job_failed", _("the job failed")
    JOB_GONE = "job_gone", _("the job was deleted")
    # A run ended early.
    CANCELLED = "cancelled", _("cancelled by a person")
    EXCLUDED = "excluded", _("a step said that there was nothing to do")
    TOOL_GONE = "tool_gone", _("the tool is not installed")
    RECIPE_GONE = "recipe_gone", _("the recipe was deleted")

    @property
    def code(self) -> str:
        """The page of the recipe language that explains it (`compile_orchestration --explain CODE`); often none."""
        return _CODES.get(self, "")

    @property
    def said(self) -> str | Promise:
        """The label, with the code behind it where there is one; translated when it is shown."""
        return format_lazy("{label} ({code})", label=self.label, code=self.code) if self.code else self.label


_CODES = {
    Reason.MISSING_VALUE: "ORK-507",
    Reason.CYCLE: "ORK-801",
    Reason.DEPTH: "ORK-802",
    Reason.NOT_A_RECIPE: "ORK-803",
}
