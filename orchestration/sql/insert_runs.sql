-- Starts runs. One for the same (recipe, event), (recipe, tick) or (recipe, upstream run) is there already: left out.
-- Recipes come in a list of their own: hundreds of runs of one batch may share one.
INSERT INTO orchestration_runs (
    id, orchestration_id, collection_id, title, version, compiled, language, trigger, variables, event_id, node_id,
    tick_at, upstream_run_id, rerun_of, user_id, chain, priority, status, handled, reason
)
SELECT r.id, c.id, r.collection, c.title, c.version, c.compiled, c.language, r.trigger, r.variables, r.event,
       r.node, r.tick, r.upstream_run, r.rerun_of, r."user", r.chain, r.priority, 'running', false, ''
FROM jsonb_to_recordset(%(runs)s::jsonb) AS r (
    id uuid, recipe int, collection uuid, trigger jsonb, variables jsonb, event bigint, node uuid, tick timestamptz, upstream_run uuid, rerun_of uuid,
    "user" int, chain uuid[], priority smallint
)
JOIN jsonb_to_recordset(%(recipes)s::jsonb) AS c (
    n int, id uuid, title text, version int, compiled jsonb, language text
) ON c.n = r.recipe
ON CONFLICT DO NOTHING
RETURNING id
