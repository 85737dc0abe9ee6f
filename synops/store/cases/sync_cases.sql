-- Cases: new ones, and those that have changed. Equal rows are left alone: a daily dump changes few.
WITH cases AS (
    INSERT INTO case_files AS known (number, title, applicant, scheme_id, status_id, received_on)
    SELECT key, document ->> 'title', coalesce(document ->> 'applicant', ''), document ->> 'scheme',
           document ->> 'status', (document ->> 'received_on')::date
    FROM dump WHERE of_table = 'cases'
    ON CONFLICT (number) DO UPDATE
    SET title = EXCLUDED.title, applicant = EXCLUDED.applicant, scheme_id = EXCLUDED.scheme_id,
        status_id = EXCLUDED.status_id, received_on = EXCLUDED.received_on
    WHERE (known.title, known.applicant, known.scheme_id, known.status_id, known.received_on)
          IS DISTINCT FROM (EXCLUDED.title, EXCLUDED.applicant, EXCLUDED.scheme_id, EXCLUDED.status_id, EXCLUDED.received_on)
    RETURNING 1
)
SELECT 'cases', count(*) FROM cases
