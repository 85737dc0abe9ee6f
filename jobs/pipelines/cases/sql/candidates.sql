-- Cases to begin with: active scheme, qualifying status, no run yet; the oldest first. Of schemes with analyzers, or of the others.
-- Indexes: case_files_selection (received_on, number) WHERE state = '', pipeline_generations_once (pipeline, unit, generation).
SELECT item.number
FROM case_files item
JOIN case_schemes scheme ON scheme.key = item.scheme_id AND scheme.active
JOIN case_statuses status ON status.key = item.status_id AND status.qualifying
WHERE item.state = ''
  AND (item.scheme_id = ANY (%(deployed)s)) = %(are_deployed)s
  AND NOT EXISTS (SELECT FROM pipeline_generations run WHERE run.pipeline = 'cases' AND run.unit = item.number)
ORDER BY item.received_on, item.number
LIMIT %(most)s
