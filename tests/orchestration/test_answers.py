"""“Eventually”, and failures that somebody outside answers: asked, taken once, answered, approved, gone on with."""

from __future__ import annotations

import threading
from uuid import UUID, uuid4

import pytest
from django.db import connection, connections

from orchestration import work_items
from orchestration.answers import (
    CannotApprove,
    DoesNotCompile,
    Lost,
    NotThere,
    Taken,
    answer,
    approve,
    ask_eventually,
    claim,
    extend,
    reject,
    release,
    waiting,
)
from orchestration.drafting.keeping import wish_text
from orchestration.models import Orchestration, Run, Version, WorkItem
from orchestration.recipes import Draft, activate, save
from synops.graph.models import Edge, Node
from synops.tools.rss import DESCRIPTION as RSS
from synops.tools.summarize import DESCRIPTION as SUMMARIZE
from synops.tools.transcribe import DESCRIPTION as TRANSCRIBE
from tests.orchestration.arrange import (
    compiled,
    edge_targets,
    end,
    item,
    make_recipe,
    make_recording,
    open_items,
    run_next,
    started,
    steps_of,
)
from tests.orchestration.drafting.conftest import put_tool
from tests.people import make_collection, make_user

WISH = "Gjør episoden klar for publisering"
SCRIPT = "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n2. oppsummer samtalen\n"
BETTER = "NÅR innspilling avsluttet\n\n1. transkriber lydfilen\n2. oppdater rss-feed\n"
RIGHTS = (
    "orchestration.change_orchestration",
    "orchestration.activate_orchestration",
    "orchestration.rerun_run",
)


@pytest.fixture
def people(db):
    """An author who may do everything with recipes, and an agent who may only answer."""
    for description in (TRANSCRIBE, SUMMARIZE, RSS):
        put_tool(description.to_json())
    return make_user("Kari", *RIGHTS), make_user("agent", "orchestration.answer_workitem", staff=False)


@pytest.fixture
def home(people):
    return make_collection("Podcast", *people)


@pytest.fixture
def wish(people, home) -> Orchestration:
    saved = save(Draft(text=WISH, title="Klargjøring", executor="bot", collections=[home.pk]), user=people[0])
    return Orchestration.objects.get(pk=saved.id)


@pytest.fixture
def failed(people, home) -> tuple[Orchestration, Run, WorkItem]:
    """An active recipe whose second step has failed for good."""
    saved = save(Draft(text=SCRIPT, title="Podkast", collections=[home.pk]), user=people[0])
    activate(saved.id, user=people[0])
    recipe = Orchestration.objects.get(pk=saved.id)
    end(make_recording(home))
    run = started(recipe)
    run_next("whisper_transcribe", result={"segments": 3})
    run_next("summarize_communication", "failed", error="no model", permanent=True, exit_code=78)
    run.refresh_from_db()
    (found,) = open_items()
    return recipe, run, WorkItem.objects.get(pk=found.pk)


def notices_of(user) -> list[Node]:
    person = Node.objects.get(user=user)
    return list(Node.objects.filter(node_kind="notice", edges_out__edge_type="addressed_to", edges_out__target=person))


def test_a_script_is_asked_for_taken_answered_and_approved(people, home, wish):
    author, agent = people
    item_id = ask_eventually(author, wish.pk)
    assert ask_eventually(author, wish.pk) == item_id, "asked twice is asked once"
    assert [found.pk for found in waiting(agent, tag="script_request")] == [item_id]
    assert edge_targets(item_id, "source_material") == {wish.pk}
    taken = claim(agent, item_id)
    assert taken.brief["recipe"]["text"] == WISH
    assert "synops-transcribe" in taken.brief["system_prompt"]
    assert waiting(agent) == []
    given = answer(agent, item_id, taken.lease, SCRIPT, note="To steg.")
    version = Version.objects.get(orchestration=wish, number=given.version)
    assert (version.status, version.author_id, version.source, version.item_id) == (
        "proposed",
        agent.pk,
        SCRIPT,
        item_id,
    )
    assert version.compiled is not None
    wish.refresh_from_db()
    assert (wish.content, wish.executor, wish.version) == (WISH, "bot", 1), "nothing changes before a person says so"
    (notice,) = notices_of(author)
    assert notice.pk == given.notice_id
    assert "Klargjøring" in notice.title
    assert notices_of(agent) == []
    done = approve(author, item_id, activate=True)
    wish.refresh_from_db()
    assert (wish.content, wish.executor, wish.state, wish.version) == (SCRIPT, "script", "active", given.version)
    assert (done.run_id, done.problem) == (None, "")
    assert wish_text(wish) == WISH
    assert not WorkItem.objects.get(pk=item_id).is_open
    assert list(Version.objects.filter(orchestration=wish).values_list("number", "status")) == [
        (2, "saved"),
        (1, "saved"),
    ]


def test_a_failure_is_answered_and_the_run_goes_on_from_the_failed_step(people, failed):
    author, agent = people
    recipe, run, found = failed
    taken = claim(agent, found.pk)
    assert taken.brief["run"]["failed"]["tool"] == "synops-summarize"
    assert "no model" in taken.brief["text"]
    answer(agent, found.pk, taken.lease, BETTER)
    recipe.refresh_from_db()
    assert (recipe.state, recipe.content) == ("active", SCRIPT), "what runs goes on until a person decides"
    (notice,) = notices_of(author)
    assert notice.metadata["about_id"] == str(found.pk)
    done = approve(author, found.pk)
    recipe.refresh_from_db()
    assert (recipe.state, recipe.content) == ("active", BETTER)
    again = Run.objects.get(pk=done.run_id)
    assert again.rerun_of == run.pk
    assert steps_of(again) == [(1, 0, "synops-transcribe", "succeeded"), (2, 0, "synops-rss", "started")]


def test_an_answer_that_changes_earlier_steps_is_approved_but_not_gone_on_with(people, failed):
    author, agent = people
    _, _, found = failed
    answer(agent, found.pk, claim(agent, found.pk).lease, BETTER.replace("lydfilen", "lydfilen (stor modell)"))
    assert approve(author, found.pk).problem == "changed"


def test_approving_a_rerun_needs_its_own_right(people, failed):
    _, agent = people
    recipe, _, found = failed
    answer(agent, found.pk, claim(agent, found.pk).lease, BETTER)
    home = Node.objects.get(pk=next(iter(edge_targets(recipe.pk, "belongs_to"))))
    other = make_user("Per", "orchestration.change_orchestration")
    person = Node.objects.create(node_kind="person", title="Per", user=other)
    Edge.objects.create(source=person, target=home, edge_type="member")
    done = approve(other, found.pk)
    recipe.refresh_from_db()
    assert (done.problem, recipe.state) == ("permission", "draft"), "who may not activate leaves a draft"


def test_a_script_with_errors_is_sent_back_at_once_and_the_claim_stays(people, wish):
    author, agent = people
    item_id = ask_eventually(author, wish.pk)
    taken = claim(agent, item_id)
    with pytest.raises(DoesNotCompile) as refused:
        answer(agent, item_id, taken.lease, "NÅR innspilling avsluttet\n\n1. send epost\n")
    assert [one["code"] for one in refused.value.record["diagnostics"]] == ["ORK-301"]
    assert Version.objects.filter(orchestration=wish).count() == 1
    assert notices_of(author) == []
    answer(agent, item_id, taken.lease, SCRIPT)


def test_a_rejected_answer_can_be_given_anew_and_knows_why(people, wish):
    author, agent = people
    item_id = ask_eventually(author, wish.pk)
    given = answer(agent, item_id, claim(agent, item_id).lease, SCRIPT)
    with pytest.raises(Taken, match="waits to be approved"):
        claim(agent, item_id)
    reject(author, item_id, "Feeden mangler.")
    assert Version.objects.get(orchestration=wish, number=given.version).status == "rejected"
    taken = claim(agent, item_id)
    assert taken.brief["rejected"]["note"] == "Feeden mangler."
    second = answer(agent, item_id, taken.lease, BETTER)
    assert approve(author, item_id).saved.version == second.version == 3


def test_a_recipe_that_was_changed_meanwhile_is_not_overwritten_unasked(people, failed):
    author, agent = people
    recipe, _, found = failed
    answer(agent, found.pk, claim(agent, found.pk).lease, BETTER)
    mine = save(Draft(text=SCRIPT + "# min\n"), recipe_id=recipe.pk, user=author)
    assert mine.version == 3, "numbers count proposed versions too"
    with pytest.raises(CannotApprove, match="changed"):
        approve(author, found.pk)
    assert approve(author, found.pk, over_newer=True).saved.version == 4
    recipe.refresh_from_db()
    assert recipe.content == BETTER


def test_a_lease_runs_out_and_what_comes_too_late_is_not_taken(people, home, wish):
    author, agent = people
    other = make_user("agent2", "orchestration.answer_workitem")
    person = Node.objects.create(node_kind="person", title="agent2", user=other)
    Edge.objects.create(source=person, target=home, edge_type="member")
    item_id = ask_eventually(author, wish.pk)
    first = claim(agent, item_id, seconds=60)
    with pytest.raises(Taken, match="agent"):
        claim(other, item_id)
    assert extend(agent, item_id, first.lease, seconds=120) > first.until
    expire(item_id)
    assert [found.pk for found in waiting(other)] == [item_id]
    second = claim(other, item_id)
    assert second.lease == first.lease + 1
    for late in (lambda: answer(agent, item_id, first.lease, SCRIPT), lambda: extend(agent, item_id, first.lease)):
        with pytest.raises(Lost):
            late()
    with pytest.raises(Lost):
        answer(agent, item_id, second.lease, SCRIPT)
    release(other, item_id, second.lease)
    assert claim(agent, item_id).lease == second.lease + 1


def expire(item_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE nodes SET metadata = jsonb_set(metadata, '{claim,until}', to_jsonb(now() - interval '1 second'))
               WHERE id = %s""",
            [item_id],
        )


def test_a_lease_that_ran_out_but_was_taken_by_nobody_still_counts(people, wish):
    author, agent = people
    item_id = ask_eventually(author, wish.pk)
    taken = claim(agent, item_id)
    expire(item_id)
    assert answer(agent, item_id, taken.lease, SCRIPT).version == 2


@pytest.mark.django_db(transaction=True)
def test_of_many_that_take_an_item_at_once_one_gets_it():
    put_tool(SUMMARIZE.to_json())
    author = make_user("Kari", *RIGHTS, superuser=True)
    saved = save(Draft(text=WISH, executor="bot", collections=[make_collection("P").pk]), user=author)
    item_id = ask_eventually(author, saved.id)
    got: list[str] = []
    barrier = threading.Barrier(6)

    def take() -> None:
        barrier.wait(60)
        try:
            claim(author, item_id)
            got.append("claim")
        except Taken:
            got.append("taken")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == ["claim"] + ["taken"] * 5


def test_rights_and_what_is_not_seen(people, wish):
    author, agent = people
    stranger = make_user("Fremmed", "orchestration.answer_workitem", *RIGHTS)
    item_id = ask_eventually(author, wish.pk)
    with pytest.raises(PermissionError):
        ask_eventually(agent, wish.pk)
    with pytest.raises(PermissionError):
        claim(author, item_id)
    with pytest.raises(NotThere):
        claim(stranger, item_id)
    with pytest.raises(NotThere):
        claim(agent, uuid4())
    with pytest.raises(NotThere):
        ask_eventually(stranger, wish.pk)
    assert waiting(stranger) == []
    answer(agent, item_id, claim(agent, item_id).lease, SCRIPT)
    with pytest.raises(PermissionError):
        approve(agent, item_id)
    with pytest.raises(NotThere):
        approve(stranger, item_id)
    with pytest.raises(NotThere):
        reject(stranger, item_id, "nei")


def test_items_that_nobody_can_answer_with_a_script_are_not_offered(people, home):
    author, agent = people
    recipe = make_recipe("Tre", compiled([item("Se på {event.title}", "sjekk")]), home)
    end(make_recording(home))
    started(recipe)
    (made,) = open_items()
    assert waiting(agent) == []
    with pytest.raises(NotThere):
        claim(agent, made.pk)
    with pytest.raises(NotThere):
        approve(author, made.pk)


def test_a_closed_item_a_deleted_recipe_and_an_item_without_an_answer(people, wish):
    author, agent = people
    item_id = ask_eventually(author, wish.pk)
    with pytest.raises(CannotApprove, match="no_answer"):
        approve(author, item_id)
    taken = claim(agent, item_id)
    work_items.close(item_id)
    with pytest.raises(Lost):
        answer(agent, item_id, taken.lease, SCRIPT)
    with pytest.raises(Taken, match="closed"):
        claim(agent, item_id)
    work_items.reopen(item_id)
    taken = claim(agent, item_id) if not WorkItem.objects.get(pk=item_id).metadata.get("claim") else taken
    Node.objects.filter(pk=wish.pk).delete()
    with pytest.raises(NotThere):
        answer(agent, item_id, taken.lease, SCRIPT)


def test_a_hostile_answer_is_stored_as_text_or_refused(people, wish):
    author, agent = people
    item_id = ask_eventually(author, wish.pk)
    taken = claim(agent, item_id)
    for text in ("", "\x00", "x" * 1_000_000, "1. rm -rf /", "$(id)"):
        with pytest.raises(DoesNotCompile):
            answer(agent, item_id, taken.lease, text)
    answer(
        agent,
        item_id,
        taken.lease,
        'NÅR jeg trykker Kjør\n\n1. opprett oppgave "$(id) --help {{x}}"\n',
        note="\x00\ud800",
    )
