"""Bokmål is complete: the catalogue is compiled, nothing is missing, and no page falls back to English."""

from __future__ import annotations

import gettext
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.utils import translation

from synops.site.middleware import NorwegianMiddleware
from tests.jobs.making import ended_job, make_job, running_job
from tests.orchestration.test_admin import make_run
from tests.people import make_collection, make_user

NB = settings.BASE_DIR / "synops" / "locale" / "nb" / "LC_MESSAGES"
DJANGO = Path(django.__file__).parent
DOMAINS = ("django", "djangojs")
PLACES = ("conf", "contrib/admin", "contrib/auth", "contrib/contenttypes", "contrib/sessions")


def catalogue(path: Path) -> dict[Any, str]:
    with path.open("rb") as file:
        return dict(gettext.GNUTranslations(file)._catalog)  # type: ignore[attr-defined]


def statistics(po: Path) -> str:
    done = subprocess.run(
        ["msgfmt", "--check", "--statistics", "-o", "/dev/null", po], capture_output=True, text=True, check=True
    )
    return done.stderr.strip()


@pytest.mark.parametrize("domain", DOMAINS)
def test_everything_is_translated_and_compiled(domain: str, tmp_path: Path):
    assert re.fullmatch(r"\d+ translated messages\.", statistics(NB / f"{domain}.po"))
    assert not re.search(r"^#, fuzzy|^#~", (NB / f"{domain}.po").read_text(), re.MULTILINE)
    subprocess.run(["msgfmt", "-o", tmp_path / "fresh.mo", NB / f"{domain}.po"], check=True)
    assert catalogue(NB / f"{domain}.mo") == catalogue(tmp_path / "fresh.mo")


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_catalogue_holds_the_strings_of_the_source_and_no_others(domain: str, tmp_path: Path, monkeypatch: Any):
    locale = tmp_path / "locale"
    shutil.copytree(NB, locale / "nb" / "LC_MESSAGES")
    monkeypatch.chdir(settings.BASE_DIR)
    monkeypatch.setattr(settings, "LOCALE_PATHS", [str(locale)])
    ignored = [".venv", "var", "build", "tests", "synops/locale"]
    call_command(
        "makemessages",
        locale=["nb"],
        domain=domain,
        no_location=True,
        no_wrap=True,
        ignore_patterns=ignored,
        verbosity=0,
    )
    fresh = locale / "nb" / "LC_MESSAGES" / f"{domain}.po"
    assert messages(fresh) == messages(NB / f"{domain}.po")


def messages(po: Path) -> set[str]:
    """The msgids of a catalogue, each with its context. Obsolete ones are not among them."""
    found, context, current = set(), "", None
    for line in [*po.read_text().splitlines(), ""]:
        if line.startswith("msgctxt "):
            context = line
        elif line.startswith("msgid "):
            current = line[6:].strip()[1:-1]
        elif line.startswith('"') and current is not None:
            current += line[1:-1]
        elif line.startswith(("msgstr", "msgid_plural")):
            if current:
                found.add(f"{context}{current}")
            context, current = ("", None)
    return found


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_string_of_django_is_left_in_english(domain: str):
    ours = messages(NB / f"{domain}.po")
    lacking: set[str] = set()
    for place in PLACES:
        locale = DJANGO / place / "locale"
        english = locale / "en" / "LC_MESSAGES" / f"{domain}.po"
        if english.exists():
            translated = catalogue(locale / "nb" / "LC_MESSAGES" / f"{domain}.mo")
            known = {key if isinstance(key, str) else key[0] for key in translated}
            lacking |= {message for message in messages(english) if unescaped(message) not in known}
    assert len(lacking) > 20  # so many that the comparison itself works
    assert lacking - ours == set()


def unescaped(message: str) -> str:
    """As gettext keys it: the context before an EOT character, without the escapes of the file."""
    if message.startswith("msgctxt "):
        context, text = message[9:].split('"', 1)
        message = f"{context}\x04{text}"
    return message.replace('\\"', '"').replace("\\n", "\n")


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("no", "nb"),
        ("no-NO,no;q=0.9,en;q=0.8", "nb"),
        ("nn-NO,nn;q=0.9,en-US;q=0.8", "nb"),
        ("nb-NO", "nb"),
        ("en-GB", "en"),
        ("de", "nb"),
        ("en-NO", "en"),
        ("", "nb"),
    ],
)
def test_which_language_a_browser_gets(client: Client, wanted: str, language: str):
    response = client.get("/health", headers={"accept-language": wanted})
    assert response.headers["Content-Language"] == language


def test_only_languages_are_rewritten_never_regions():
    request: Any = type("Request", (), {"META": {"HTTP_ACCEPT_LANGUAGE": "en-NO, se-NO, no;q=0.5"}})
    NorwegianMiddleware(lambda request: HttpResponse())(request)
    assert request.META["HTTP_ACCEPT_LANGUAGE"] == "en-NO, se-NO, nb;q=0.5"


ENGLISH = re.compile(
    r"\b(the|and|select|selected|change|add|delete|save|search|welcome|waiting|running|completed|failed|cancelled|"
    r"attempts?|started|finished|history|show|hide|yes|none|has|was|jobs?|runs?|recipes?|nodes|edges|please|password|"
    r"user|users|groups?|log out|settings|breadcrumbs|skip|toggle|actions?|filter by|current)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"<(script|style|pre|code|option|svg)\b.*?</\1>", re.DOTALL)
ATTRIBUTES = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')


def words_of(page: str) -> str:
    """What a person reads or hears on a page; codes and what programs wrote are left out."""
    page = CODE.sub(" ", page).replace("Synops", "")
    spoken = " ".join(ATTRIBUTES.findall(page))
    return f"{re.sub(r'<[^>]*>', ' ', page)} {spoken}"


@pytest.fixture
def somebody() -> Client:
    client = Client(headers={"accept-language": "nb"})
    client.force_login(make_user("kari", superuser=True))
    return client


LISTS = (
    "auth/group", "auth/user", "graph/accessedgetype", "graph/edge", "graph/node", "jobs/job", "jobs/pipelinestep",
    "jobs/schedule", "orchestration/run", "orchestration/workitem", "resources/diskreading", "resources/worker",
)  # fmt: skip
FORMS = ("auth/user", "auth/group", "graph/node", "graph/edge", "orchestration/orchestration", "resources/priorityrule")


@pytest.mark.django_db
def test_pages_in_bokmaal_hold_no_english(somebody: Client):
    collection = make_collection("Redaksjonen")
    failed, run = ended_job(collection, "timed_out", "lyd"), make_run(collection)
    make_job(collection, "lyd"), running_job(collection, "lyd"), ended_job(collection, "succeeded", "lyd")
    addresses = ["/admin/", "/admin/settings/", "/admin/password_change/", f"/admin/jobs/job/{failed.pk}/change/"]
    addresses += [f"/admin/jobs/job/{failed.pk}/history/", f"/admin/orchestration/run/{run.pk}/change/"]
    addresses += [f"/admin/{model}/" for model in LISTS] + [f"/admin/{model}/add/" for model in FORMS]
    english = {}
    for address in addresses:
        response = somebody.get(address)
        assert response.status_code == 200, address
        found = set(ENGLISH.findall(words_of(response.content.decode())))
        if found:
            english[address] = found
    data = {"action": "retry_selected", "_selected_action": [str(failed.pk)]}
    found = set(ENGLISH.findall(words_of(somebody.post("/admin/jobs/job/", data).content.decode())))
    assert english == {}
    assert found == set()


@pytest.mark.django_db
def test_the_login_page_and_the_language_switch(client: Client):
    page = client.get("/admin/login/", headers={"accept-language": "nb"}).content.decode()
    assert not ENGLISH.search(words_of(page.replace(">English<", "><")))
    assert 'lang="nb"' in page
    response = client.post("/i18n/setlang/", {"language": "en", "next": "/admin/login/"})
    assert response.headers["Location"] == "/admin/login/"
    page = client.get("/admin/login/", headers={"accept-language": "nb"}).content.decode()
    assert "Log in" in page
    assert 'lang="en"' in page


def test_a_number_in_markup_is_never_written_with_a_comma():
    """{{ 0.5 }} is 0,5 in bokmål: right for people, wrong in a style, an address or a script."""
    with translation.override("nb"):
        from django.template import Context, Template

        assert Template("{{ 0.5 }}").render(Context()) == "0,5"
    templates = [*settings.BASE_DIR.glob("templates/**/*.html")]
    assert templates
    for path in templates:
        text = path.read_text()
        assert not re.search(r'\b(style|onclick)="', text), path
        assert not re.search(
            r'\b(value|width|height|max|min)="\{\{(?![^}]*stringformat)[^}|]*(percent|progress|load)', text
        ), path
