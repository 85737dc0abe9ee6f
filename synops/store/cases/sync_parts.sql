-- What hangs on cases: assessments, costs, certificates; each made what the dump says, gone ones removed.
WITH parts AS MATERIALIZED (
    SELECT dump.key AS case_id, part.of_table, part.document
    FROM dump
    CROSS JOIN LATERAL (
        SELECT 'assessments' AS of_table, value AS document FROM jsonb_array_elements(coalesce(dump.document -> 'assessments', '[]'))
        UNION ALL SELECT 'costs', value FROM jsonb_array_elements(coalesce(dump.document -> 'costs', '[]'))
        UNION ALL SELECT 'certificates', value FROM jsonb_array_elements(coalesce(dump.document -> 'certificates', '[]'))
    ) part
    WHERE dump.of_table = 'cases'
), assessments AS (
    INSERT INTO case_assessments AS known (case_id, key, kind, outcome, assessed_on)
    SELECT case_id, document ->> 'key', document ->> 'kind', document ->> 'outcome', (document ->> 'assessed_on')::date
    FROM parts WHERE of_table = 'assessments'
    ON CONFLICT (case_id, key) DO UPDATE
    SET kind = EXCLUDED.kind, outcome = EXCLUDED.outcome, assessed_on = EXCLUDED.assessed_on
    WHERE (known.kind, known.outcome, known.assessed_on) IS DISTINCT FROM (EXCLUDED.kind, EXCLUDED.outcome, EXCLUDED.assessed_on)
    RETURNING 1
), costs AS (
    INSERT INTO case_costs AS known (case_id, key, label, amount)
    SELECT case_id, document ->> 'key', document ->> 'label', (document ->> 'amount')::numeric
    FROM parts WHERE of_table = 'costs'
    ON CONFLICT (case_id, key) DO UPDATE SET label = EXCLUDED.label, amount = EXCLUDED.amount
    WHERE (known.label, known.amount) IS DISTINCT FROM (EXCLUDED.label, EXCLUDED.amount)
    RETURNING 1
), certificates AS (
    INSERT INTO case_certificates AS known (case_id, number, address, grade, issued_on)
    SELECT case_id, document ->> 'number', coalesce(document ->> 'address', ''), coalesce(document ->> 'grade', ''),
           (document ->> 'issued_on')::date
    FROM parts WHERE of_table = 'certificates'
    ON CONFLICT (case_id, number) DO UPDATE
    SET address = EXCLUDED.address, grade = EXCLUDED.grade, issued_on = EXCLUDED.issued_on
    WHERE (known.address, known.grade, known.issued_on) IS DISTINCT FROM (EXCLUDED.address, EXCLUDED.grade, EXCLUDED.issued_on)
    RETURNING 1
), old_assessments AS (
    DELETE FROM case_assessments known
    WHERE NOT EXISTS (SELECT FROM parts WHERE of_table = 'assessments' AND parts.case_id = known.case_id
                      AND document ->> 'key' = known.key)
    RETURNING 1
), old_costs AS (
    DELETE FROM case_costs known
    WHERE NOT EXISTS (SELECT FROM parts WHERE of_table = 'costs' AND parts.case_id = known.case_id
                      AND document ->> 'key' = known.key)
    RETURNING 1
), old_certificates AS (
    DELETE FROM case_certificates known
    WHERE NOT EXISTS (SELECT FROM parts WHERE of_table = 'certificates' AND parts.case_id = known.case_id
                      AND document ->> 'number' = known.number)
    RETURNING 1
)
SELECT 'assessments', (SELECT count(*) FROM assessments) + (SELECT count(*) FROM old_assessments)
UNION ALL SELECT 'costs', (SELECT count(*) FROM costs) + (SELECT count(*) FROM old_costs)
UNION ALL SELECT 'certificates', (SELECT count(*) FROM certificates) + (SELECT count(*) FROM old_certificates)
