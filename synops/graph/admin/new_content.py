"""Forms that make what one row alone is not: a collection with its first member, a recording with its file."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin.models import ADDITION, LogEntry
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from synops.graph.admin.bases import person, viewer
from synops.graph.columns import new_id
from synops.graph.models import Node
from synops.store.collections import folder_name
from synops.store.edges import Edge, insert_edge
from synops.store.files import FileStore
from synops.store.nodes import Node as NewNode
from synops.store.nodes import insert_node
from synops.store.people import person_of
from synops.store.sanitise import clean_text
from synops.store.sql import Cursor

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite

    from synops.graph.access import Viewer

ADD = "graph.add_node"
TRAITS = (("podcast", _("podcast")), ("publishing", _("publishing of articles")))
LONGEST_TITLE = 300


class NewContentForm(forms.Form):
    """What each of the forms does."""

    def prepare(self) -> None:
        """What takes long and needs no transaction."""

    def save(self, cursor: Cursor, user: Any) -> UUID:
        """Write it; the id of what was made."""
        raise NotImplementedError


class CollectionForm(NewContentForm):
    """A collection and what is done in it. Whoever makes it is its first member."""

    title = forms.CharField(
        label=_("Title"), max_length=LONGEST_TITLE, widget=forms.TextInput(attrs={"class": "vTextField"})
    )
    traits = forms.MultipleChoiceField(
        label=_("What it is for"),
        choices=TRAITS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Recipes can ask for these. Nothing needs to be chosen."),
    )

    def save(self, cursor: Cursor, user: Any) -> UUID:
        """The collection's id."""
        title = clean_text(self.cleaned_data["title"].strip())
        id = new_id()
        metadata = {"slug": folder_name(None, title, id), "traits": self.cleaned_data["traits"]}
        insert_node(cursor, NewNode(id, "collection", title, "", metadata))
        insert_edge(cursor, Edge(_person_node(cursor, user), "owner", id))
        return id


class RecordingForm(NewContentForm):
    """A sound or video file, as a recording that is over: recipes that wait for its end start at once."""

    title = forms.CharField(
        label=_("Title"),
        max_length=LONGEST_TITLE,
        required=False,
        help_text=_("Left empty, it is the file's name."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    collection = forms.ModelChoiceField(queryset=Node.objects.none(), label=_("Collection"))
    file = forms.FileField(label=_("File"), widget=forms.FileInput(attrs={"accept": "audio/*,video/*"}))

    def __init__(self, user: Viewer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        places = Node.objects.visible_to(user).filter(node_kind="collection").order_by("-created_at")
        collection = cast("forms.ModelChoiceField[Node]", self.fields["collection"])
        collection.queryset = places
        collection.initial = places.first()

    def clean_file(self) -> UploadedFile[Any]:
        """Sound or video, by its name: what a browser says of a file is not always known."""
        file = cast("UploadedFile[Any]", self.cleaned_data["file"])
        mime = mimetypes.guess_type(file.name or "")[0] or file.content_type or ""
        if mime.partition("/")[0] not in ("audio", "video"):
            raise ValidationError(_("This is no sound or video file: %(name)s"), params={"name": file.name})
        file.content_type = mime
        return file

    def prepare(self) -> None:
        """The bytes are in the store before anything names them, and no transaction waits for a slow disk."""
        self.stored = FileStore(settings.STORE_DIR).put(cast("BinaryIO", self.cleaned_data["file"]))

    def save(self, cursor: Cursor, user: Any) -> UUID:
        """The recording's id."""
        file, stored = self.cleaned_data["file"], self.stored
        name = clean_text(file.name)
        title = clean_text(self.cleaned_data["title"].strip()) or PurePath(name).stem
        media = {"cas_hash": stored.digest, "mime": file.content_type, "size": stored.size, "filename": name}
        talk, sound, place = new_id(), new_id(), self.cleaned_data["collection"].pk
        insert_node(cursor, NewNode(sound, "media", name, "", media))
        insert_node(cursor, NewNode(talk, "communication", title, "", {"ended_at": timezone.now().isoformat()}))
        for edge in (Edge(talk, "belongs_to", place), Edge(sound, "belongs_to", place), Edge(talk, "has_media", sound)):
            insert_edge(cursor, edge)
        return talk


def new_collection_view(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """The form of a new collection."""

    def view(request: HttpRequest) -> HttpResponse:
        form = CollectionForm(request.POST or None)
        return _answer(site, request, form, _now("New collection"), _now("The collection is made, and you are in it."))

    return view


def new_recording_view(site: AdminSite) -> Callable[[HttpRequest], HttpResponse]:
    """The form of a new recording."""

    def view(request: HttpRequest) -> HttpResponse:
        form = RecordingForm(viewer(request), request.POST or None, request.FILES or None)
        return _answer(site, request, form, _now("New recording"), _now("The recording is stored."))

    return view


def _answer(site: AdminSite, request: HttpRequest, form: NewContentForm, title: str, done: str) -> HttpResponse:
    user = person(request)
    if not user.has_perm(ADD):
        raise PermissionDenied
    if request.method == "POST" and form.is_valid():
        try:
            form.prepare()
            with transaction.atomic(), connection.cursor() as cursor:
                made = form.save(cursor, user)
                LogEntry.objects.log_actions(user.pk, [Node.objects.get(pk=made)], ADDITION, gettext_noop("Made."))
        except OSError as error:
            form.add_error(None, _now("The file could not be stored: %s") % (error.strerror or error))
        else:
            messages.success(request, done)
            home = request.GET.get("then") == "home"
            return HttpResponseRedirect(reverse("admin:index") if home else _page(made))
    context = {**site.each_context(request), "opts": Node._meta, "title": title, "form": form}
    return TemplateResponse(request, "admin/graph/node/new.html", context)


def _page(node: UUID) -> str:
    return reverse("admin:graph_node_change", args=[node])


def _person_node(cursor: Cursor, user: Any) -> UUID:
    """The person's node; made when they have none yet, as for somebody who logs in for the first time."""
    if (found := person_of(cursor, user.pk)) is not None:
        return found
    node = Node.objects.create(node_kind="person", title=user.get_full_name() or user.get_username(), user=user)
    return node.pk
