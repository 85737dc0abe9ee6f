"""The form that a work item is answered with: a script, and a word to whoever approves it."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class AnswerForm(forms.Form):
    """`compilation` is the compiler's box when the script has errors."""

    compilation = ""

    lease = forms.IntegerField(widget=forms.HiddenInput)
    text = forms.CharField(
        label=_("Script"),
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"class": "vLargeTextField recipe-text", "rows": 12, "spellcheck": "false"}),
    )
    note = forms.CharField(label=_("What you changed, and why"), max_length=2000, required=False)
