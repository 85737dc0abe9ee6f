"""Stores an evaluation: one a case and run of the pipeline; the same again replaces it, whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synops.store.sanitise import dumps
from synops.store.sql import Cursor, load


def store_evaluation(
    cur: Cursor, number: str, generation: int, rule_set: str, decision: str, verdicts: Sequence[Mapping[str, Any]]
) -> int:
    """The evaluation's id. `verdicts` as `Judged.to_json` gives them."""
    cur.execute(
        """INSERT INTO case_evaluations (case_id, generation, rule_set, decision)
           VALUES (%(number)s, %(generation)s, %(rule_set)s, %(decision)s)
           ON CONFLICT (case_id, generation) DO UPDATE
           SET rule_set = EXCLUDED.rule_set, decision = EXCLUDED.decision, evaluated_at = now()
           RETURNING id""",
        {"number": number, "generation": generation, "rule_set": rule_set, "decision": decision},
    )
    row = cur.fetchone()
    assert row is not None  # noqa: S101 (RETURNING of an upsert has a row)
    cur.execute("DELETE FROM case_verdicts WHERE evaluation_id = %(id)s", {"id": row[0]})
    rows = [{**verdict, "position": position} for position, verdict in enumerate(verdicts)]
    cur.execute(load("synops.store.cases", "insert_verdicts"), {"id": row[0], "verdicts": dumps(rows)})
    return int(row[0])
