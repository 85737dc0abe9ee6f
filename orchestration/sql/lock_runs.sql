-- Locks unfinished runs, in one order for everybody, and waits: whoever holds one may not have seen what we come to
-- tell. Index: orchestration_runs_pkey. The last column sets how this transaction commits: a statement less.
SELECT id, orchestration_id, collection_id, title, version, compiled::text, language, trigger::text, variables::text,
       node_id, user_id, chain, priority, cancel_requested_at IS NOT NULL,
       set_config('synchronous_commit', coalesce(%(commit)s, current_setting('synchronous_commit')), true)
FROM orchestration_runs
WHERE id = ANY(%(ids)s::uuid[]) AND status = 'running'
ORDER BY id
FOR UPDATE
