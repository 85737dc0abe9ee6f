"""synops-respond: an agent's reply in a conversation, by a language model, or as quotations from the collection's texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from synops.llm.names import EMBEDDING_SETTINGS, SECRETS, SETTINGS
from synops.tools.describe import Description, Param
from synops.tools.engines import MODEL_PARAM, OUTPUTS, TIER_PARAM
from synops.tools.program import run

if TYPE_CHECKING:
    from uuid import UUID

    from synops.llm.endpoint import Endpoint
    from synops.store.embeddings import Passage
    from synops.store.messages import Message
    from synops.store.nodes import Node
    from synops.store.sql import Cursor
    from synops.tools.call import Call
    from synops.tools.subject import Subject

RETRIEVAL: Final = "retrieval"
MOST_MESSAGES: Final = 40
QUOTES: Final = 3
CONTEXT: Final = 6
REFUSAL: Final = (
    "no language model is configured, and this tool does not invent replies. Set SYNOPS_LLM_BASE_URL, SYNOPS_LLM_MODEL and "
    "SYNOPS_LLM_API_KEY (any OpenAI-compatible server, e.g. OpenRouter), or run with --engine retrieval to answer only with "
    "quoted passages and links."
)
FOUND: Final = {
    "nb": "Dette står om det i våre tekster:",
    "nn": "Dette står om det i tekstane våre:",
    "en": "This is what our texts say about it:",
}

DESCRIPTION = Description(
    name="synops-respond",
    version="0.1.0",
    description={
        "nb": "Svarer i en samtale på vegne av en agent, med språkmodell eller med sitater fra samlingens tekster.",
        "en": "Replies in a conversation on behalf of an agent, by a language model or with quotations from the collection.",
    },
    job_types=("agent_respond",),
    aliases={
        "nb": ("svar", "svar på melding", "la boten svare", "besvar"),
        "nn": ("svar", "svar på melding", "la boten svare"),
        "en": ("reply", "respond", "answer the message"),
    },
    params=(
        Param(
            name="communication_id",
            type="uuid",
            required=True,
            bind=("event.communication_id", "event.target_id"),
            hints={
                "nb": ("samtale", "melding", "tråd", "chat", "spørsmål"),
                "nn": ("samtale", "melding", "tråd", "chat", "spørsmål"),
                "en": ("the conversation", "the message", "the thread", "the chat", "the question"),
            },
            description={"nb": "Samtalen.", "en": "The conversation."},
        ),
        Param(
            name="agent_id",
            type="uuid",
            description={"nb": "Agenten som svarer.", "en": "The agent that replies."},
        ),
        Param(
            name="message_id",
            type="uuid",
            description={
                "nb": "Meldingen som skal besvares; ellers den siste.",
                "en": "The message to answer; else the last one.",
            },
        ),
        Param(
            name="tone",
            type="string",
            enum={
                "friendly": {"nb": ("vennlig",), "nn": ("vennleg",), "en": ("friendly",)},
                "formal": {"nb": ("formell", "formelt"), "nn": ("formell", "formelt"), "en": ("formal",)},
            },
            description={"nb": "Tonen i svaret.", "en": "The tone of the reply."},
        ),
        Param(
            name="length",
            type="string",
            enum={
                "short": {"nb": ("kort",), "nn": ("kort",), "en": ("short",)},
                "long": {"nb": ("langt",), "nn": ("langt",), "en": ("long",)},
            },
            description={"nb": "Hvor langt svaret er.", "en": "How long the reply is."},
        ),
        Param(
            name="engine",
            type="string",
            enum={
                "auto": {},
                "llm": {},
                RETRIEVAL: {
                    "nb": ("med sitater", "uten språkmodell"),
                    "nn": ("med sitat", "utan språkmodell"),
                    "en": ("with quotations", "without a model"),
                },
            },
            default="auto",
            description={
                "nb": "Språkmodell, eller retrieval: bare sitater med kilde.",
                "en": "A language model, or retrieval: nothing but quotations with their source.",
            },
        ),
        TIER_PARAM,
        MODEL_PARAM,
    ),
    outputs={"message_id": "uuid", "text": "text", "sources": "list", "reply_to": "uuid", **OUTPUTS},
    database="write",
    settings=(*SETTINGS, *EMBEDDING_SETTINGS),
    secrets=SECRETS,
    network=True,
    exit_codes="sysexits",
    examples=(
        "synops-respond --communication-id=0190f5a6-0000-7000-8000-000000000001 --engine=retrieval",
        "synops-respond --communication-id=0190f5a6-0000-7000-8000-000000000001 --tone=friendly --length=short --write",
    ),
)


class Thread(NamedTuple):
    """The conversation up to the message that is answered, the agent, and the reply that this job has left already."""

    subject: Subject
    messages: list[Message]
    agent: Node | None
    done: Node | None


def work(call: Call) -> dict[str, Any]:
    """Read the conversation, look for passages, answer, and under `--write` add the reply as a message."""
    from synops.tools.database import reading

    place = _model(call)
    with reading(call) as cur:
        thread = _read(call, cur)
    asked = thread.messages[-1]
    if thread.done:
        # A former run of this job was killed after its commit: its reply stands, and nobody is asked again.
        return _result(dict(thread.done.metadata), thread.done.content, asked, str(thread.done.id))
    passages = _passages(call, thread, asked, needed=place is None)
    text, made = _by_model(call, thread, passages, place) if place else _quoted(thread, passages)
    result = _result(made, text, asked, None)
    if not call.write:
        return result
    return {**result, "message_id": _store(call, thread, asked, result)}


def _model(call: Call) -> Endpoint | None:
    """The server, or None = quotations, which somebody must have asked for."""
    from synops.tools.failures import NotConfigured
    from synops.tools.model import endpoint

    if call.payload["engine"] == RETRIEVAL:
        return None
    place = endpoint(call)
    if place is None:
        raise NotConfigured(REFUSAL)
    return place


def _read(call: Call, cur: Cursor) -> Thread:
    from synops.store.messages import latest_messages
    from synops.store.nodes import UnknownNode, get_node
    from synops.tools.failures import BadInput, NoInput
    from synops.tools.subject import read_node, read_subject

    subject = read_subject(call, cur, call.uuid("communication_id"))
    if subject.node.node_kind != "communication":
        raise BadInput(f"node {subject.node.id} is of kind {subject.node.node_kind}, not a communication")
    agent = read_node(cur, call.uuid("agent_id")) if call.payload["agent_id"] else None
    try:
        done = get_node(cur, _reply_id(call)) if call.job else None
    except UnknownNode:
        done = None
    messages = [one for one in latest_messages(cur, subject.node.id, MOST_MESSAGES) if not done or one.id != done.id]
    if call.payload["message_id"]:
        wanted = call.uuid("message_id")
        at = next((at for at, one in enumerate(messages) if one.id == wanted), None)
        if at is None:
            raise NoInput(f"message {wanted} is none of the last {MOST_MESSAGES} of this conversation")
        messages = messages[: at + 1]
    if not messages or not messages[-1].text.strip():
        raise NoInput(f'there is no message to answer in "{subject.node.title}" ({subject.node.id})')
    return Thread(subject, messages, agent, done)


def _passages(call: Call, thread: Thread, asked: Message, needed: bool) -> list[Passage]:
    """What the collection's texts say about the question. Quotations need it; a model does without where it must."""
    from synops.store.embeddings import nearest
    from synops.tools.database import reading
    from synops.tools.encoder import encoder_of
    from synops.tools.failures import NoInput, NotConfigured

    collection = thread.subject.collections[0] if thread.subject.collections else None
    try:
        encoder = encoder_of(call)
        vector = encoder.query(asked.text[:2000])
    except NotConfigured as missing:
        if needed:
            raise
        call.log(f"the model answers without passages: {missing}")
        return []
    with reading(call) as cur:
        found = nearest(cur, collection, encoder.model, vector, CONTEXT)
    if needed and not found:
        raise NoInput("the collection has no passages to quote; run synops-embed --collection-id=… --write first")
    return found


def _quoted(thread: Thread, passages: list[Passage]) -> tuple[str, dict[str, Any]]:
    """The nearest passages, word for word, each with its source. What is quoted may still not answer."""
    from synops.tools.encoder import BUILT_IN

    language = thread.subject.language
    best = passages[:QUOTES]
    lines = [f"> {one.text}\n> — {one.title} ({one.node_id})" for one in best]
    text = "\n\n".join([FOUND.get(language, FOUND["nb"]), *lines])
    made = {"engine": RETRIEVAL, "model": BUILT_IN, "quality": "draft", "language": language}
    return text, {**made, "sources": _sources(best)}


def _by_model(call: Call, thread: Thread, passages: list[Passage], place: Endpoint) -> tuple[str, dict[str, Any]]:
    from synops.tools.engines import by_model
    from synops.tools.model import answer
    from synops.tools.replying import talk_of

    name = thread.agent.title if thread.agent else "Synops"
    persona = thread.agent.content if thread.agent else thread.subject.prompt("respond")
    wishes = (call.payload["tone"], call.payload["length"])
    talk = talk_of(name, persona, wishes, passages, thread.messages, thread.subject.language)
    said = answer(
        call, place, talk, tier=call.payload["intelligence"], model=call.payload["model"] or "", temperature=0.3
    )
    made = by_model(said.model, thread.subject.language, said.usage)
    return said.text.strip(), {**made, "sources": _sources(passages)}


def _sources(passages: list[Passage]) -> list[dict[str, Any]]:
    return [
        {"node_id": str(one.node_id), "title": one.title, "passage": one.seq, "score": round(one.score, 4)}
        for one in passages
    ]


def _result(made: dict[str, Any], text: str, asked: Message, message: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        key: made.get(key) for key in ("engine", "model", "quality", "language", "sources", "usage") if key in made
    }
    return {"message_id": message, "text": text, "reply_to": str(asked.id), **told}


def _reply_id(call: Call) -> UUID:
    """Each job is one reply, however often it runs; by hand each call is one."""
    from uuid import uuid4, uuid5

    from synops.store.identities import NAMESPACE

    return uuid5(NAMESPACE, f"reply:{call.job.id}") if call.job else uuid4()


def _store(call: Call, thread: Thread, asked: Message, result: dict[str, Any]) -> str:
    from synops.store.edges import Edge, insert_edge
    from synops.store.nodes import Node, upsert_node
    from synops.tools.database import writing

    kept = {key: result[key] for key in ("engine", "model", "quality", "language", "sources")}
    author = {"author_id": str(thread.agent.id)} if thread.agent else {}
    metadata = {"agent": True, **author, "reply_to": str(asked.id), **kept}
    key = _reply_id(call)
    with writing(call) as cur:
        upsert_node(cur, Node(key, "message", "", result["text"], metadata))
        insert_edge(cur, Edge(key, "belongs_to", thread.subject.node.id))
        for collection in thread.subject.collections:
            insert_edge(cur, Edge(key, "belongs_to", collection))
    return str(key)


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
