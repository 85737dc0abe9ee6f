"""Questions of a voting guide: which are the same, which are opposites, and which are not neutral. By rules, with reasons.

Meaning alone tells no question from its opposite ("økes" and "senkes" lie closer than most paraphrases), so two questions
are merged only when they mean the same *and* are made of the same words *and* no word of one is the contrary of the
other's. All in between is for a person. The lint's lexicon is small and finds form, not fairness: its hits are reasons to
look, and every question that it touches needs review.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from synops.tools.encoder import Vector, cosine
from synops.tools.keywords import lemma_counts

SAME: Final = 0.985
LIKE: Final = 0.88
SAME_WORDS: Final = 0.8

OPPOSITES: Final = (
    ({"øke", "auke", "heve", "increase", "raise"}, {"senke", "redusere", "kutte", "minke", "lower", "reduce", "cut"}),
    ({"for", "positiv"}, {"mot", "imot", "negativ", "against"}),
    (
        {"fjerne", "avskaffe", "avvikle", "abolish", "remove"},
        {"beholde", "behalde", "bevare", "innføre", "keep", "introduce"},
    ),
    ({"flere", "fleire", "mer", "meir", "mange", "mye", "more"}, {"færre", "mindre", "få", "lite", "fewer", "less"}),
    ({"høy", "høyere", "høgare", "higher"}, {"lav", "lavere", "lågare", "lower"}),
    ({"tillate", "lovlig", "allow"}, {"forby", "forbudt", "ulovlig", "ban", "prohibit"}),
    ({"åpne", "opne", "open"}, {"stenge", "lukke", "close"}),
    ({"styrke", "strengthen"}, {"svekke", "weaken"}),
    ({"bygge", "build"}, {"rive", "demolish"}),
)
NEGATIONS: Final = frozenset({"ikke", "ikkje", "aldri", "ingen", "uten", "utan", "not", "never", "no", "without"})
_LOADED_WORDS: Final = """
    skandaløs skandale galskap vanvittig vanvittige sløsing sløse håpløs håpløse grådig grådige kynisk elendig meningsløs
    meningsløse urettferdig latterlig skammelig farlig farlige absurd katastrofal katastrofe selvfølgelig åpenbart endelig
    dessverre umenneskelig skadelig skadelige rasere ødelegge overgrep tvinge sosialistisk ekstrem
    outrageous insane wasteful greedy hopeless ridiculous obviously finally unfair disastrous shameful
"""
LOADED: Final = frozenset(_LOADED_WORDS.split())
_PRESUPPOSES: Final = re.compile(
    r"^\s*(?:hvorfor|kvifor|når skal vi endelig|er du enig i at|er du einig i at|synes du også|hvor lenge skal vi|"
    r"why|when will we finally|do you agree that|don't you think|how long must)\b",
    re.IGNORECASE,
)
_TWO_QUESTIONS: Final = re.compile(
    r"\b(?:og|samt|and)\s+(?:bør|skal|må|samtidig|dessuten|heller|should|shall|also|instead)\b|\?\s*\S.*\?",
    re.IGNORECASE,
)


def lint(question: str, language: str) -> list[dict[str, str]]:
    """What may not be neutral or clear, each with the words that show it."""
    words = re.findall(r"\w+", question)
    lemmas = set(lemma_counts(question, language)) | {word.casefold() for word in words}
    found = [{"kind": "loaded", "words": word} for word in sorted(lemmas & LOADED)]
    found += [{"kind": "negation", "words": word} for word in sorted(lemmas & NEGATIONS)]
    if match := _PRESUPPOSES.search(question):
        found.append({"kind": "presupposes", "words": match[0].strip()})
    if match := _TWO_QUESTIONS.search(question):
        found.append({"kind": "two_questions", "words": match[0].strip()[:80]})
    shouted = [word for word in words if len(word) > 4 and word.isupper()]
    if shouted or "!" in question:
        found.append({"kind": "shouting", "words": " ".join(shouted) or "!"})
    return found


def compare(one: str, other: str, likeness: float, language: str) -> str:
    """`same` = merge them, `opposite` or `like` = a person decides, `new` = another question."""
    if likeness < LIKE:
        return "new"
    here, there = set(lemma_counts(one, language)), set(lemma_counts(other, language))
    if _contrary(here, there):
        return "opposite"
    common = len(here & there) / max(1, len(here | there))
    return "same" if likeness >= SAME and common >= SAME_WORDS else "like"


def _contrary(here: set[str], there: set[str]) -> bool:
    """Does a word stand in one whose contrary stands in the other, or a negation in only one?"""
    if bool(here & NEGATIONS) != bool(there & NEGATIONS):
        return True
    mine, theirs = here - there, there - here
    return any((mine & up and theirs & down) or (mine & down and theirs & up) for up, down in OPPOSITES)


def moderate(
    questions: Sequence[str],
    vectors: Sequence[Vector],
    known: Sequence[str],
    known_vectors: Sequence[Vector],
    language: str,
) -> list[dict[str, Any]]:
    """Each question with its decision: against those known already, and against those before it in the list."""
    texts, places = list(known), list(known_vectors)
    judged = []
    for question, vector in zip(questions, vectors, strict=True):
        entry = _judged(question, vector, texts, places, language)
        judged.append(entry)
        if entry["decision"] != "duplicate":
            texts.append(question)
            places.append(vector)
    return judged


def _judged(
    question: str, vector: Vector, texts: Sequence[str], places: Sequence[Vector], language: str
) -> dict[str, Any]:
    ranked = sorted(((cosine(vector, place), -at) for at, place in enumerate(places)), reverse=True)
    likeness, at = ranked[0] if ranked else (0.0, 0)
    relation = compare(question, texts[-at], likeness, language) if ranked else "new"
    issues = lint(question, language)
    decision = {"same": "duplicate", "new": "new"}.get(relation, "review")
    near = {"nearest": texts[-at], "likeness": round(likeness, 4), "relation": relation} if relation != "new" else {}
    return {
        "question": question,
        "decision": decision,
        **near,
        "issues": issues,
        "needs_review": decision == "review" or bool(issues),
    }
