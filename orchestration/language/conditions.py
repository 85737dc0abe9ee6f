"""What HVIS lines mean.

One line is a row of clauses joined by OG, or by ELLER, never both. Subject and verb carry over to later clauses
("samling har podcast og lyd"). Every word must be a subject, a predicate, a value, a negation or a filler.
"""

from __future__ import annotations

import re
from functools import cache

from orchestration.language import clauses, packs
from orchestration.language.clauses import PREDICATES, ClauseWords
from orchestration.language.diagnostics import MAYBE, Edit, Note, Reporter, Suggestion
from orchestration.language.plan import Clause, Condition
from orchestration.language.source import Span
from orchestration.language.suggest import closest
from orchestration.language.tree import Header
from orchestration.language.words import Token, say, span_of

_TECHNICAL = {"har_trait": "has_trait", "har_media": "has_media", "har_tag": "has_tag", "er_type": "node_kind"}
_TECHNICAL |= {name: name for name in PREDICATES}
_CALL = re.compile(
    r"^(?:(?:og|and)\s*)?(?P<not>(?:ikke|ikkje|not)\s+)?(?:(?P<subject>[\w]+)\s*\.\s*)?(?P<name>\w+)\s*\(",
    re.IGNORECASE,
)
_JOINERS = {"&": "and", "+": "and", ",": "and", ";": "and"}


def matches(tokens: list[Token], traits: frozenset[str]) -> bool:
    """Whether the tokens, without HVIS, are a whole condition."""
    reporter = Reporter({f"ORK-{code}": "error" for code in (111, 112, 113, 114)})
    header = Header(tokens[0], tokens, span_of(tokens)) if tokens else None
    return header is not None and bool(resolve(header, traits, reporter)) and not reporter.found


def resolve(header: Header, traits: frozenset[str], reporter: Reporter) -> list[Clause]:
    """The clauses of one line; what is wrong is reported and left out."""
    tokens = [token for token in header.tokens if token.text not in (":", "!", "?") or token.kind != "mark"]
    while tokens and tokens[-1].kind == "mark" and tokens[-1].text in ".,;":
        tokens.pop()
    if not tokens:
        reporter.report("ORK-111", header.span, {"phrase": ""})
        return []
    neither = [token for token in tokens if token.kind == "word" and token.key in packs.word_set("neither")]
    tokens = [token for token in tokens if token not in neither]
    parts, joiners = _split(tokens) if tokens else ([[]], [])
    if not tokens or not all(parts):  # nothing but "og"
        reporter.report("ORK-111", header.span, {"phrase": say(header.tokens)})
        return []
    if len(set(joiners)) > 1:
        reporter.report("ORK-113", span_of(tokens))
        return []
    conditions = _conditions(parts, traits, reporter)
    if not conditions:
        return []
    if neither:  # "hverken lyd eller video" denies both
        return [(Condition(item.predicate, item.value, not item.negated),) for item in conditions]
    if header.negated:  # med mindre A og B = ikke A eller ikke B
        flipped = tuple(Condition(item.predicate, item.value, not item.negated) for item in conditions)
        return [flipped] if "or" not in joiners else [(item,) for item in flipped]
    return [tuple(conditions)] if "or" in joiners else [(condition,) for condition in conditions]


def _split(tokens: list[Token]) -> tuple[list[list[Token]], list[str]]:
    """Clauses and the joiners between them."""
    words = packs.fixed("keywords")
    parts: list[list[Token]] = [[]]
    joiners: list[str] = []
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")") if token.kind == "mark" else 0
        entry = words.longest([token.key], 0) if token.kind == "word" else None
        joiner = entry.meaning if entry and entry.meaning in ("and", "or") else ""
        if token.kind == "mark" and token.text in _JOINERS:
            joiner = _JOINERS[token.text]
        if joiner and not depth:
            if parts[-1]:
                parts.append([])
                joiners.append(joiner)
            elif joiners:  # ", og"
                joiners[-1] = joiner
            continue
        parts[-1].append(token)
    if not parts[-1] and joiners:
        parts.pop()
        joiners.pop()
    if "or" in joiners and joiners[-1] == "or":  # "a, b eller c": the commas follow the word
        joiners = ["or" if not _said_and(tokens) else joiner for joiner in joiners]
    return parts, joiners


def _said_and(tokens: list[Token]) -> bool:
    return any(token.key in ("og", "and", "samt", "&", "+") and token.kind != "quoted" for token in tokens)


def _conditions(parts: list[list[Token]], traits: frozenset[str], reporter: Reporter) -> list[Condition]:
    found: list[Condition] = []
    previous: ClauseWords | None = None
    for part in parts:
        technical = _technical(part)
        if technical is not None:
            found.append(technical)
            continue
        clause = clauses.read(part, traits)
        if previous is not None:
            if previous.negations and not clause.verb and not clause.negations:
                reporter.report("ORK-119", span_of(part), {"phrase": say(part)}, _negation_fixes(part, previous))
                return []
            _carry(clause, previous)
        condition = _condition(clause, traits, reporter)
        if condition is None:
            return []
        found.append(condition)
        previous = clause
    return found


def _negation_fixes(part: list[Token], previous: ClauseWords) -> tuple[Suggestion, ...]:
    """ "har ikke podcast og lyd": say whether the second is wanted or not."""
    start = Span(part[0].span.line, part[0].span.start, part[0].span.start)
    word = previous.negations[0].text
    return (Suggestion(f"{word} {say(part)}", MAYBE, (Edit(start, f"{word} "),), "write"),)


def _technical(tokens: list[Token]) -> Condition | None:
    """`samling.har_trait("podcast")`, `IKKE node.har_media("audio")`, `has_tag("news")`."""
    match = _CALL.match(" ".join(token.text for token in tokens))
    name = _TECHNICAL.get(match.group("name").casefold()) if match else None
    quoted = [token for token in tokens if token.kind == "quoted"]
    if match is None or name is None or len(quoted) != 1 or tokens[-1].text != ")":
        return None
    return Condition(name, quoted[0].key, bool(match.group("not")))


def _carry(clause: ClauseWords, previous: ClauseWords) -> None:
    if not clause.subject and not clause.verb:
        clause.subject, clause.verb = previous.subject, previous.verb
        clause.cue = clause.cue or (previous.cue if not clause.readings else "")
        if clause.cue == "has_tag" and clause.quoted is None and clause.left:
            clause.quoted = clause.left.pop(0)


def _condition(clause: ClauseWords, traits: frozenset[str], reporter: Reporter) -> Condition | None:
    place = span_of(clause.tokens)
    if len(clause.negations) > 1:
        reporter.report("ORK-112", span_of(clause.negations), {"phrase": say(clause.tokens)})
        return None
    if clause.left:
        _report_left(clause, traits, reporter)
        return None
    negated = bool(clause.negations)
    if clause.cue == "has_tag" or (clause.quoted is not None and not clause.readings):
        return _tag(clause, negated, reporter)
    chosen = _choose(clause)
    if len(chosen) == 1:
        return Condition(*chosen[0], negated)
    args = {"phrase": say(clause.tokens)}
    reporter.report("ORK-111", place, args, _reading_fixes(clause, chosen))
    return None


def _tag(clause: ClauseWords, negated: bool, reporter: Reporter) -> Condition | None:
    if clause.quoted is None and clause.readings:  # "har taggen podcast"
        word = clause.tokens[-1]
        return Condition("has_tag", word.key, negated)
    if clause.quoted is None or clause.subject == "collection":
        note = (Note("tag_belongs_to_node"),) if clause.subject == "collection" else ()
        reporter.report("ORK-111", span_of(clause.tokens), {"phrase": say(clause.tokens)}, (), note)
        return None
    if clause.cue and clause.cue != "has_tag":
        return Condition(clause.cue, clause.quoted.key, negated)
    return Condition("has_tag", clause.quoted.key, negated)


def _choose(clause: ClauseWords) -> list[tuple[str, str]]:
    """ "er" + noun is a kind, "har" + noun a trait or a medium; for a collection "er en podcast" is a trait."""
    readings = list(clause.readings)
    if clause.cue or clause.subject == "type":
        wanted = clause.cue or "node_kind"
        return [reading for reading in readings if reading[0] == wanted]
    if len(readings) == 1 and not clause.verb:
        return readings
    if clause.verb == "be":
        kinds = [
            reading
            for reading in readings
            if reading[0] == ("has_trait" if clause.subject == "collection" else "node_kind")
        ]
        traits = [reading for reading in readings if reading[0] == "has_trait" and clause.subject in ("", "episode")]
        return kinds or traits or [reading for reading in readings if reading[0] == "has_media" and not clause.subject]
    return [reading for reading in readings if reading[0] in ("has_trait", "has_media")]


def _reading_fixes(clause: ClauseWords, chosen: list[tuple[str, str]]) -> tuple[Suggestion, ...]:
    names = {"has_trait": "samling har", "has_media": "noden har", "node_kind": "noden er"}
    place, word = span_of(clause.tokens), clause.tokens[-1].text
    return tuple(
        Suggestion(f"{names[predicate]} {word}", MAYBE, (Edit(place, f"{names[predicate]} {word}"),))
        for predicate, _ in chosen or clause.readings
    )


@cache
def _known() -> list[str]:
    tables = [packs.nouns(f"conditions.{name}") for name in ("has_trait", "has_media", "node_kind", "cues")]
    values = {form for table in tables for entry in table.entries for form in entry.phrase[0]}
    subjects = {form for entry in packs.nouns().entries for form in entry.phrase[0]}
    return sorted(values | subjects | set(clauses.verbs()))


def _report_left(clause: ClauseWords, traits: frozenset[str], reporter: Reporter) -> None:
    """The first word that is nothing: the subject when it stands before the verb, else the value."""
    word = clause.left[0]
    near = closest(word.key, sorted({*_known(), *traits}))
    fixes = tuple(Suggestion(text, MAYBE, (Edit(word.span, text),)) for text in near)
    verb = next((token for token in clause.tokens if token.key in clauses.verbs()), None)
    if verb is not None and word.span.start < verb.span.start and not clause.subject and not near:
        reporter.report("ORK-114", word.span, {"word": word.text}, fixes)
        return
    if not near and len(clause.left) == 1 and not clause.readings:
        text = f'noden er tagget "{word.text}"'
        fixes = (Suggestion(text, MAYBE, (Edit(span_of(clause.tokens), text),)),)
    reporter.report("ORK-111", word.span, {"phrase": word.text}, fixes)
