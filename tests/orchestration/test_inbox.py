"""The inbox of work items: by state, holder and tag; taken by one, answered, decided on, closed; each with right and entry."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client

from orchestration.answers import answer, ask_eventually, claim
from orchestration.models import Orchestration, Run, WorkItem
from orchestration.recipes import Draft, activate, save
from orchestration.work_items import NewItem, open_item
from synops.graph.models import Node
from synops.tools import rss, summarize, transcribe
from tests.orchestration.arrange import add_tools, end, make_recording, open_items, run_next, started
from tests.people import make_collection, make_user

pytestmark = pytest.mark.django_db

LIST = "/admin/orchestration/workitem/"
SEES = ("orchestration.view_workitem", "orchestration.view_orchestration", "orchestration.view_run")
RIGHTS = (
    *SEES,
    "orchestration.answer_workitem",
    "orchestration.close_workitem",
    "orchestration.change_orchestration",
    "orchestration.activate_orchestration",
    "orchestration.rerun_run",
)
SCRIPT = "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n2. oppsummer samtalen\n"
BETTER = "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n2. oppdater rss-feed\n"


@pytest.fixture
def kari() -> Any:
    return make_user("kari", *RIGHTS)


@pytest.fixture
def per() -> Any:
    return make_user("per", *RIGHTS)


@pytest.fixture
def desk(kari: Any, per: Any) -> Node:
    return make_collection("Redaksjonen", kari, per)


def browsing(user: Any, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(user)
    return client


def make_item(place: Node, title: str = "Se på saken", *tags: str) -> UUID:
    with connection.cursor() as cursor:
        return open_item(cursor, NewItem(place.pk, title, f"Om {title}", title, tags=tags))[0]


def press(client: Client, item: UUID, what: str, **data: Any) -> Any:
    return client.post(f"{LIST}{item}/{what}/", data, follow=True)


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def listed(client: Client, query: str = "") -> set[str]:
    return {item.title for item in client.get(LIST + query).context["cl"].result_list}


def entries(item: UUID) -> list[tuple[str, str]]:
    rows = LogEntry.objects.filter(object_id=str(item)).order_by("id").select_related("user")
    return [(row.user.get_username(), row.get_change_message()) for row in rows]


def page_of(client: Client, item: UUID) -> str:
    return client.get(f"{LIST}{item}/change/").content.decode()


def test_an_empty_inbox_says_where_items_come_from_and_a_filter_that_finds_nothing_how_to_get_back(
    kari: Any, desk: Node
):
    client = browsing(kari)
    assert "Work items come from" in client.get(LIST).content.decode()
    make_item(desk, "Sak")
    assert "No work item is like that" in client.get(f"{LIST}?state=closed").content.decode()


def test_the_inbox_shows_what_is_open_and_can_be_asked_for_the_rest(kari: Any, per: Any, desk: Node):
    titles = ("Fri", "Min", "Hans", "Lukket")
    free, mine, his, closed = (make_item(desk, title, "bug" if title == "Fri" else "sjekk") for title in titles)
    make_item(make_collection("Andre"), "Skjult", "hemmelig")
    client = browsing(kari)
    press(client, mine, "take")
    press(browsing(per), his, "take")
    press(client, closed, "close")
    assert listed(client) == {"Fri", "Min", "Hans"}
    wanted = {"mine": {"Min"}, "free": {"Fri"}, "others": {"Hans"}, "closed": {"Lukket"}, "answered": set()}
    assert {state: listed(client, f"?state={state}") for state in wanted} == wanted
    assert listed(client, "?state=all") == set(titles)
    assert listed(client, "?tag=bug") == {"Fri"}
    page = client.get(LIST).content.decode()
    assert "?tag=sjekk" in page
    assert "hemmelig" not in page
    assert entries(free) == []


def test_two_people_take_one_item_and_the_second_is_told_who_has_it(kari: Any, per: Any, desk: Node):
    item = make_item(desk)
    first, second = browsing(kari), browsing(per, "nb")
    assert "yours until" in said(press(first, item, "take"))[0]
    assert "kari has it until" in page_of(browsing(per), item)
    assert "kari har den til" in said(press(second, item, "take"))[0]
    press(first, item, "give_back")
    press(second, item, "take")
    assert "per has it until" in said(press(first, item, "keep"))[0]
    assert WorkItem.objects.get(pk=item).holder.name == "per"  # type: ignore[union-attr]
    assert entries(item) == [("kari", "Taken."), ("kari", "Given back."), ("per", "Taken.")]


def test_a_claim_that_ran_out_is_free_again(kari: Any, per: Any, desk: Node):
    item = make_item(desk)
    press(browsing(kari), item, "take")
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE nodes SET metadata = jsonb_set(metadata, '{claim,until}', to_jsonb(now() - interval '1 second'))
               WHERE id = %s""",
            [item],
        )
    assert listed(browsing(per), "?state=free") == {"Se på saken"}
    assert "yours until" in said(press(browsing(per), item, "take"))[0]


def test_a_closed_item_opens_again_unless_the_same_trouble_has_another(kari: Any, desk: Node):
    item = make_item(desk)
    client = browsing(kari)
    press(client, item, "close")
    assert "closed" in said(press(client, item, "take"))[0]
    other = make_item(desk)
    assert other != item
    assert "open already" in said(press(client, item, "reopen"))[0]
    press(client, other, "close")
    press(client, item, "reopen")
    assert WorkItem.objects.get(pk=item).is_open
    assert entries(item) == [("kari", "Closed."), ("kari", "Opened again.")]
    client.post(LIST, {"action": "close_selected", "_selected_action": [str(item)]})
    assert not WorkItem.objects.get(pk=item).is_open


@pytest.fixture
def failed(kari: Any, desk: Node) -> tuple[Orchestration, Run, UUID]:
    """An active recipe whose second step has failed for good, and its work item."""
    add_tools(*(tool.DESCRIPTION.to_json() for tool in (rss, summarize, transcribe)))
    saved = save(Draft(text=SCRIPT, title="Podkast", collections=[desk.pk]), user=kari)
    activate(saved.id, user=kari)
    recipe = Orchestration.objects.get(pk=saved.id)
    end(make_recording(desk))
    run = started(recipe)
    run_next("whisper_transcribe", result={"segments": 3})
    run_next("summarize_communication", "failed", error="no model", permanent=True, exit_code=78)
    (item,) = open_items()
    return recipe, run, item.pk


def test_a_failure_is_taken_answered_approved_and_the_run_goes_on(kari: Any, per: Any, failed: Any):
    recipe, run, item = failed
    answerer, decider = browsing(per), browsing(kari)
    press(answerer, item, "take")
    page = page_of(answerer, item)
    assert "oppsummer samtalen" in page
    assert f"/admin/orchestration/run/{run.pk}/" in page
    lease = WorkItem.objects.get(pk=item).holder.lease  # type: ignore[union-attr]
    wrong = press(answerer, item, "answer", lease=lease, text="NÅR innspilling avsluttet\n1. tryll litt", note="")
    assert "tryll litt" in wrong.content.decode()
    assert "┌─" in wrong.content.decode()
    assert "does nothing before" in said(press(answerer, item, "answer", lease=lease, text=BETTER, note="Feeden"))[0]
    assert listed(decider, "?state=answered") == {WorkItem.objects.get(pk=item).title}
    page = page_of(decider, item)
    assert "Feeden" in page
    assert '<span class="added">+ 2. oppdater rss-feed' in page
    response = press(decider, item, "approve")
    again = Run.objects.get(rerun_of=run.pk)
    assert response.redirect_chain[-1][0] == f"/admin/orchestration/run/{again.pk}/change/"
    recipe.refresh_from_db()
    assert (recipe.content, recipe.state) == (BETTER, "active")
    assert "somebody else has decided" in said(press(decider, item, "approve"))[0]
    assert entries(item) == [("per", "Taken."), ("per", "Answered."), ("kari", "Answer approved.")]


def test_an_answer_is_sent_back_with_a_reason_that_the_next_one_reads(kari: Any, per: Any, failed: Any):
    _, _, item = failed
    answer(per, item, claim(per, item).lease, BETTER)
    press(browsing(kari), item, "reject", note="Behold sammendraget")
    assert "Behold sammendraget" in page_of(browsing(per), item)
    assert listed(browsing(per), "?state=free") == {WorkItem.objects.get(pk=item).title}


def test_a_recipe_that_was_changed_meanwhile_is_replaced_only_when_that_is_said(kari: Any, per: Any, failed: Any):
    recipe, _, item = failed
    answer(per, item, claim(per, item).lease, BETTER)
    save(Draft(text=SCRIPT + "# min\n"), recipe_id=recipe.pk, user=kari)
    client = browsing(kari)
    assert "over_newer" in page_of(client, item)
    assert "changed since" in said(press(client, item, "approve"))[0]
    press(client, item, "approve", over_newer="on")
    recipe.refresh_from_db()
    assert recipe.content == BETTER


def test_an_answer_that_came_too_late_is_not_lost(kari: Any, per: Any, failed: Any):
    _, _, item = failed
    press(browsing(kari), item, "take")
    lease = WorkItem.objects.get(pk=item).holder.lease  # type: ignore[union-attr]
    press(browsing(kari), item, "give_back")
    press(browsing(per), item, "take")
    late = press(browsing(kari), item, "answer", lease=lease, text=BETTER + "# kari\n", note="")
    assert "per has it until" in said(late)[0]
    assert "# kari" in late.content.decode()


def test_a_wish_is_answered_and_becomes_an_active_recipe(kari: Any, per: Any, desk: Node):
    add_tools(*(tool.DESCRIPTION.to_json() for tool in (rss, summarize, transcribe)))
    saved = save(Draft(text="Oppsummer alle møter", title="Møter", executor="bot", collections=[desk.pk]), user=kari)
    item = ask_eventually(kari, saved.id)
    answer(per, item, claim(per, item).lease, SCRIPT)
    response = press(browsing(kari), item, "approve", activate="on")
    assert response.redirect_chain[-1][0] == f"/admin/orchestration/orchestration/{saved.id}/change/"
    assert Orchestration.objects.get(pk=saved.id).state == "active"


@pytest.mark.parametrize("what", ["take", "keep", "give_back", "answer", "approve", "reject", "close", "reopen"])
def test_each_button_asks_for_its_right_and_for_the_item_to_be_seen(what: str, kari: Any, desk: Node):
    item = make_item(desk)
    reader = make_user("leser", *SEES)
    make_collection("Egen", reader)
    stranger = make_user("fremmed", *RIGHTS)
    data = {"lease": 1, "text": SCRIPT, "note": "x"}
    assert browsing(kari).get(f"{LIST}{item}/{what}/").status_code == 405
    assert press(browsing(stranger), item, what, **data).status_code == 403
    Node.objects.get(user=reader).edges_out.create(target=desk, edge_type="member")
    assert press(browsing(reader), item, what, **data).status_code == 403
    assert entries(item) == []


def test_titles_and_texts_are_escaped_and_a_strangers_page_leads_away(kari: Any, desk: Node):
    item = make_item(desk, "<script>alert(1)</script>", "<b>")
    page = page_of(browsing(kari), item)
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert browsing(make_user("fremmed", *RIGHTS)).get(f"{LIST}{item}/change/").status_code == 302
