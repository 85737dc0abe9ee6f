-- Schemes and statuses. `active` and `qualifying` are the operator's: the source gives them only for new rows.
WITH schemes AS (
    INSERT INTO case_schemes AS known (key, name, active)
    SELECT key, document ->> 'name', coalesce((document ->> 'active')::boolean, false)
    FROM dump WHERE of_table = 'schemes'
    ON CONFLICT (key) DO UPDATE SET name = EXCLUDED.name WHERE known.name <> EXCLUDED.name
    RETURNING 1
), statuses AS (
    INSERT INTO case_statuses AS known (key, name, qualifying)
    SELECT key, document ->> 'name', coalesce((document ->> 'qualifying')::boolean, false)
    FROM dump WHERE of_table = 'statuses'
    ON CONFLICT (key) DO UPDATE SET name = EXCLUDED.name WHERE known.name <> EXCLUDED.name
    RETURNING 1
)
SELECT 'schemes', (SELECT count(*) FROM schemes) UNION ALL SELECT 'statuses', (SELECT count(*) FROM statuses)
