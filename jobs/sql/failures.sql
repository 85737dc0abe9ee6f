-- Failed jobs of the last %(hours)s hours, at most the newest 20,000, grouped by type and normalised error: ids, hashes,
-- numbers, quoted words and paths are replaced, so that the same trouble with different things is one line.
-- Index: job_queue_status_created.
WITH failed AS MATERIALIZED (
    SELECT q.id, q.job_type, q.outcome, q.created_at, q.completed_at, left(coalesce(q.error_msg, ''), 1000) AS error_msg
    FROM job_queue q
    WHERE q.status = 'error' AND q.outcome <> 'cancelled'
      AND q.created_at >= now() - make_interval(hours => %(hours)s)
      AND (%(everything)s OR EXISTS (
          SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
    ORDER BY q.created_at DESC, q.id DESC
    LIMIT 20000
),
normal AS (
    SELECT f.*, btrim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        split_part(btrim(f.error_msg, E' \n\r\t'), E'\n', 1),
        '[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}', '‹id›', 'g'),
        '\m[0-9a-fA-F]{16,}\M', '‹hash›', 'g'),
        '(/[^\s/:]+){2,}', '‹path›', 'g'),
        '"[^"]*"|«[^»]*»|“[^”]*”|''[^'']*''', '‹…›', 'g'),
        '\m\d+([.,]\d+)*', '‹n›', 'g')) AS error
    FROM failed f
)
