-- One case as an object. Index: its primary key, and the unique keys that begin with case_id.
SELECT jsonb_build_object(
    'number', item.number, 'title', item.title, 'applicant', item.applicant, 'scheme', item.scheme_id,
    'status', item.status_id, 'received_on', item.received_on,
    'costs', jsonb_build_object(
        'total', (SELECT coalesce(sum(amount), 0)::float8 FROM case_costs WHERE case_id = item.number),
        'items', (SELECT coalesce(jsonb_agg(jsonb_build_object('label', label, 'amount', amount::float8) ORDER BY key), '[]')
                  FROM case_costs WHERE case_id = item.number)),
    'assessments', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'outcome', outcome, 'assessed_on', assessed_on)
                                  ORDER BY key), '[]')
        FROM case_assessments WHERE case_id = item.number),
    'certificates', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('number', number, 'address', address, 'grade', grade,
                                                     'issued_on', issued_on) ORDER BY number), '[]')
        FROM case_certificates WHERE case_id = item.number)
)::text
FROM case_files item
WHERE item.number = %(number)s
