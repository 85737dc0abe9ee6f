-- All verdicts of one evaluation in one statement.
INSERT INTO case_verdicts (evaluation_id, position, rule, verdict, required, document, evidence, note)
SELECT %(id)s, one.position, one.rule, one.verdict, one.required, one.document, coalesce(one.evidence, '[]'), one.note
FROM jsonb_to_recordset(%(verdicts)s::jsonb) AS one (
    position integer, rule text, verdict text, required boolean, document text, evidence jsonb, note text)
