"""What an agent's model is told: who it is, how it is to answer, what the archive says, and the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from synops.llm.chat import Message as Said
from synops.store.embeddings import Passage
from synops.store.messages import Message
from synops.tools.engines import brief

# A message is a few lines; one of megabytes would push the others out of what a model reads.
LONGEST_MESSAGE: Final = 20_000
TASK: Final = (
    "You take part in a conversation of a newsroom as {name}. {persona}\nAnswer the last message. Where the passages below "
    "help, use them and say which text they come from; where you do not know, say so.{wishes}\n\nPassages:\n{passages}"
)
WISHES: Final = {
    "friendly": " Be friendly.",
    "formal": " Be formal.",
    "short": " Answer in one or two sentences.",
    "long": " Answer thoroughly.",
}


def talk_of(
    name: str,
    persona: str,
    wishes: Iterable[str | None],
    passages: Sequence[Passage],
    messages: Sequence[Message],
    language: str,
) -> list[Said]:
    """The messages to send: one instruction, then the conversation as the model's own and others' turns."""
    wished = "".join(WISHES.get(wish or "", "") for wish in wishes)
    quoted = "\n".join(f"[{one.title}] {one.text}" for one in passages) or "(none)"
    task = TASK.format(name=name, persona=persona.strip(), wishes=wished, passages=quoted)
    return [brief(task, language), *(_as_chat(one) for one in messages)]


def _as_chat(message: Message) -> Said:
    text = message.text[:LONGEST_MESSAGE]
    if message.agent:
        return {"role": "assistant", "content": text}
    return {"role": "user", "content": f"{message.author}: {text}" if message.author else text}
