"""When an agent may not answer: each switch, each limit and each loop, by the rows that would be there."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from jobs import guards, queue
from jobs.reasons import ATTEMPT_REASONS
from synops.graph.models import Edge, Node
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.deadline import wait_until
from tests.jobs.arrange import add_worker, claim, committing_connection, new_job, succeed
from tests.people import make_collection, make_node

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


class Chat:
    """A conversation in a collection, with a person and two agents in it."""

    def __init__(self) -> None:
        self.collection = make_collection("Nettprat")
        self.conversation = make_node("communication", "kanalen", into=self.collection)
        self.agent, self.other = (make_node("agent", name, into=self.collection) for name in ("bot", "annen bot"))

    def says(self, author: Node | None = None, minutes_ago: float = 0, **metadata: object) -> Node:
        """A message; of a person unless `author` is an agent."""
        if author is not None:
            metadata |= {"author_id": str(author.pk), "agent": True}
        message = make_node("message", "", into=self.conversation, metadata=metadata)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE nodes SET created_at = clock_timestamp() - make_interval(mins => %s) WHERE id = %s",
                [minutes_ago, message.pk],
            )
        return message

    def asked(self, cursor, agent: Node | None = None, conversation: Node | None = None, **payload: str):
        """A job that asks an agent to answer, claimed."""
        payload |= {
            "agent_id": str((agent or self.agent).pk),
            "communication_id": str((conversation or self.conversation).pk),
        }
        queue.enqueue(cursor, new_job("agent_respond", collection=self.collection.pk, payload=payload))
        [job] = claim(cursor, add_worker(cursor), types=["agent_respond"])
        return job

    def answered(self, cursor, times: int = 1, **options) -> None:
        """Jobs that have succeeded just now."""
        for _ in range(times):
            queue.finish(cursor, [succeed(self.asked(cursor, **options))])


@pytest.fixture
def chat(db):
    return Chat()


@pytest.fixture
def cursor(db):
    with transaction.atomic(), connection.cursor() as cursor:
        yield cursor


def reason(cursor, job) -> str | None:
    ended = guards.before_run(cursor, job)
    assert ended is None or (ended.outcome, ended.result["excluded"]) == ("excluded", ended.reason)
    return ended.reason if ended else None


def set_agents(node: Node, **agents: object) -> None:
    node.metadata = {**node.metadata, "agents": agents}
    node.save()


def system() -> Node:
    return Node.objects.get(pk=SYSTEM_COLLECTION_ID)


def test_an_agent_may_answer_a_person_and_other_jobs_are_not_asked(chat, cursor):
    chat.says()
    assert reason(cursor, chat.asked(cursor)) is None
    queue.enqueue(cursor, new_job("alpha", payload={}))
    set_agents(system(), enabled=False)
    [job] = claim(cursor, add_worker(cursor), types=["alpha"])
    assert reason(cursor, job) is None


def test_each_switch_holds_back_what_it_is_for(chat, cursor):
    chat.says()
    set_agents(chat.agent, enabled=False)
    assert reason(cursor, chat.asked(cursor)) == "agent_off"
    assert reason(cursor, chat.asked(cursor, agent=chat.other)) is None
    set_agents(chat.collection, enabled=False)
    assert reason(cursor, chat.asked(cursor, agent=chat.other)) == "agents_off_here"
    set_agents(system(), enabled=False)
    assert reason(cursor, chat.asked(cursor)) == "agents_off"


@pytest.mark.parametrize("written", [None, "no", "false", 0, "true", []])
def test_a_switch_that_is_not_plainly_on_is_off(chat, cursor, written):
    chat.says()
    set_agents(chat.collection, enabled=written)
    assert reason(cursor, chat.asked(cursor)) == "agents_off_here"


def test_switches_that_are_no_object_are_off(chat, cursor):
    chat.collection.metadata = {"agents": "off"}
    chat.collection.save()
    assert reason(cursor, chat.asked(cursor)) == "agents_off_here"


def test_an_agent_answers_neither_itself_nor_another(chat, cursor):
    question = chat.says(minutes_ago=3)
    own = chat.says(chat.agent, minutes_ago=2)
    assert reason(cursor, chat.asked(cursor)) == "agent_itself", "the last message is its own"
    assert reason(cursor, chat.asked(cursor, agent=chat.other)) == "agent_other"
    assert reason(cursor, chat.asked(cursor, agent=chat.other, message_id=str(question.pk))) is None
    chat.says(minutes_ago=1)
    assert reason(cursor, chat.asked(cursor)) is None
    assert reason(cursor, chat.asked(cursor, message_id=str(own.pk))) == "agent_itself"


def test_a_message_is_an_agents_by_its_author_too(chat, cursor):
    chat.says(author_id=str(chat.agent.pk).upper())
    assert reason(cursor, chat.asked(cursor)) == "agent_itself"


def test_a_message_without_an_author_is_a_persons(chat, cursor):
    chat.says()
    asked = chat.asked(cursor)
    del asked.payload["agent_id"]
    assert reason(cursor, asked) is None


def test_agents_take_only_so_many_turns_in_a_row(chat, cursor):
    question = chat.says(minutes_ago=10)
    for turn in range(3):
        job = chat.asked(cursor, message_id=str(question.pk))
        assert reason(cursor, job) is None, f"after {turn} turns"
        chat.says(chat.other, minutes_ago=9 - turn)
    assert reason(cursor, chat.asked(cursor, message_id=str(question.pk))) == "agent_turns"
    set_agents(chat.collection, turns_in_a_row=4)
    assert reason(cursor, chat.asked(cursor, message_id=str(question.pk))) is None
    set_agents(chat.agent, turns_in_a_row=0)
    assert reason(cursor, chat.asked(cursor, message_id=str(question.pk))) == "agent_turns"


def test_replies_are_limited_per_agent_and_conversation(chat, cursor):
    chat.says()
    set_agents(chat.collection, replies=2, window_minutes=10)
    chat.answered(cursor, 2)
    ended = guards.before_run(cursor, chat.asked(cursor))
    assert (ended.reason, ended.result) == (
        "agent_rate",
        {"excluded": "agent_rate", "replies": 2, "window_minutes": 10},
    )
    assert reason(cursor, chat.asked(cursor, agent=chat.other)) is None, "another agent has its own count"
    elsewhere = make_node("communication", "en annen", into=chat.collection)
    assert reason(cursor, chat.asked(cursor, conversation=elsewhere)) is None, "and so has another conversation"
    cursor.execute(
        "UPDATE job_queue SET completed_at = completed_at - interval '11 minutes' WHERE outcome = 'succeeded'"
    )
    assert reason(cursor, chat.asked(cursor)) is None, "the window has moved on"


def test_replies_are_limited_per_collection(chat, cursor):
    set_agents(chat.collection, replies_in_collection=2)
    chat.answered(cursor, 1)
    chat.answered(cursor, 1, agent=chat.other, conversation=make_node("communication", "2", into=chat.collection))
    chat.says()
    assert reason(cursor, chat.asked(cursor)) == "agents_rate_here"
    stranger = Chat.__new__(Chat)
    stranger.collection = make_collection("Nabo")
    stranger.conversation = make_node("communication", "hos naboen", into=stranger.collection)
    stranger.agent = chat.agent
    assert reason(cursor, stranger.asked(cursor)) is None


def test_what_is_no_reply_is_not_counted(chat, cursor):
    chat.says()
    set_agents(chat.collection, replies=1)
    job = chat.asked(cursor)
    set_agents(chat.agent, enabled=False)
    queue.finish(cursor, [guards.before_run(cursor, job)])
    set_agents(chat.agent)
    chat.asked(cursor)  # claimed, but its guards have not been asked yet
    assert reason(cursor, chat.asked(cursor)) is None


@pytest.mark.parametrize("slip", ["20", -1, True, 2.5, None])
def test_a_slip_of_the_pen_lifts_no_limit(chat, cursor, slip):
    chat.says()
    set_agents(system(), replies=1)
    set_agents(chat.collection, replies=slip, window_minutes=slip if slip != "20" else 10**12)
    chat.answered(cursor, 1)
    assert reason(cursor, chat.asked(cursor)) == "agent_rate"


def test_a_payload_without_a_conversation_is_left_to_the_payload_check(chat, cursor):
    job = chat.asked(cursor)
    for broken in (None, 7, "no id"):
        job.payload["communication_id"] = broken
        assert reason(cursor, job) is None


def test_every_reason_has_its_words():
    stated = {code for _, code in guards.LEVELS} | {"agent_itself", "agent_other", "agent_turns"}
    assert stated | {"agent_rate", "agents_rate_here"} <= set(ATTEMPT_REASONS)


@pytest.mark.django_db(transaction=True)
def test_of_two_jobs_at_once_only_one_passes_a_limit_of_one(db):
    """Each is asked in its own transaction, before either has answered: the second waits, and then counts the first."""
    chat = Chat()
    chat.says()
    set_agents(chat.collection, replies=1)
    with committing_connection() as setup, setup.cursor() as own:
        jobs = [chat.asked(own) for _ in range(2)]
    passed: list[bool] = []

    def second() -> None:
        with committing_connection() as conn, conn.transaction(), conn.cursor() as own:
            passed.append(guards.before_run(own, jobs[1]) is None)

    with committing_connection() as conn, conn.transaction(), conn.cursor() as own:
        assert guards.before_run(own, jobs[0]) is None
        thread = threading.Thread(target=second)
        thread.start()
        wait_until(waits_for_a_lock, "the second waits for the first")
        queue.record_argv(own, jobs[0], ["synops-respond"])
    thread.join()
    assert passed == [False]


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return cursor.fetchone()[0] == 1


def test_a_message_that_is_named_must_exist_or_nothing_is_answered(chat, cursor):
    """A message that is gone was no agent's; the tool itself says that it is gone."""
    message = chat.says()
    job = chat.asked(cursor, message_id=str(message.pk))
    Edge.objects.filter(source=message).delete()
    assert reason(cursor, job) is None
