-- Locks unfinished runs, in one order for everybody, and waits: whoever holds one may not have seen what we come to
-- tell. Indexes: orchestration_runs_pkey, nodes_kind_created. What else an advance needs comes along, because each round
-- trip costs as much as reading it: what the plan's tools say about themselves, and how this transaction is to commit.
SELECT id, orchestration_id, collection_id, title, version, compiled::text, language, trigger::text, variables::text,
       node_id, user_id, chain, priority, cancel_requested_at IS NOT NULL,
       (SELECT jsonb_object_agg(t.title, t.metadata) FROM nodes t
        WHERE t.node_kind = 'cli_tool' AND coalesce(t.metadata -> 'available', 'true') <> 'false'
          AND t.title IN (SELECT tool #>> '{}' FROM jsonb_path_query(compiled, 'lax $.**.tool') AS tool))::text,
       set_config('synchronous_commit', coalesce(%(commit)s, current_setting('synchronous_commit')), true)
FROM orchestration_runs
WHERE id = ANY(%(ids)s::uuid[]) AND status = 'running'
ORDER BY id
FOR UPDATE
