"""Choosing a node in a form: a plain list of the likely ones, and an id for any other. It needs no script and no style."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from synops.graph.kinds import in_words
from synops.graph.models import Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

    NodeField = forms.ModelChoiceField[Node]
else:
    NodeField = forms.ModelChoiceField


def node_fields(label: Any, help_text: Any = "", *, required: bool = True) -> tuple[NodeField, forms.UUIDField]:
    """The list, and the field for the id of a node that is not in it."""
    listed = NodeField(queryset=Node.objects.none(), required=False, label=label, help_text=help_text)
    listed.asked_for = required  # type: ignore[attr-defined]
    return listed, forms.UUIDField(required=False, label=_("or the id of another node"))


def offer(form: forms.BaseForm, name: str, user: Viewer, likely: Iterable[Node]) -> None:
    """Let every node be chosen that `user` sees, and list the likely ones."""
    field = cast("NodeField", form.fields[name])
    field.queryset = Node.objects.visible_to(user)
    field.widget.choices = [("", "–"), *((node.pk, f"{node} ({in_words(node.node_kind)})") for node in likely)]


def chosen(form: forms.BaseForm, name: str) -> Node | None:
    """For `clean`: the node that is named by id, else the one from the list; an error when none is and one is needed."""
    field = cast("NodeField", form.fields[name])
    named = form.cleaned_data.get(f"{name}_id")
    found: Node | None = field.queryset.filter(pk=named).first() if named and field.queryset is not None else None
    if named and found is None:
        raise ValidationError({f"{name}_id": _now("There is no node with this id.")})
    found = found or form.cleaned_data.get(name)
    if found is None and field.asked_for and name not in form.errors:  # type: ignore[attr-defined]
        raise ValidationError({name: _now("Choose a node.")})
    return found
