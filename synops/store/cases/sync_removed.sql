-- Rows that the dump has no more. A case takes its manifest, evaluations and parts along (ON DELETE CASCADE).
WITH cases AS (
    DELETE FROM case_files known
    WHERE NOT EXISTS (SELECT FROM dump WHERE of_table = 'cases' AND dump.key = known.number)
    RETURNING 1
), schemes AS (
    DELETE FROM case_schemes known
    WHERE NOT EXISTS (SELECT FROM dump WHERE of_table = 'schemes' AND dump.key = known.key)
    RETURNING 1
), statuses AS (
    DELETE FROM case_statuses known
    WHERE NOT EXISTS (SELECT FROM dump WHERE of_table = 'statuses' AND dump.key = known.key)
    RETURNING 1
)
SELECT 'cases removed', (SELECT count(*) FROM cases)
UNION ALL SELECT 'schemes removed', (SELECT count(*) FROM schemes)
UNION ALL SELECT 'statuses removed', (SELECT count(*) FROM statuses)
