-- The rows of a fan-out, in one statement; a step that is there already stays as it is, and its job is not enqueued.
-- Index: pipeline_steps_once.
INSERT INTO pipeline_steps (pipeline, unit, generation, step, item, collection_node_id, state, payload, job_id)
SELECT n.pipeline, n.unit, n.generation, n.step, n.item, n.collection, 'pending', n.payload, n.job
FROM jsonb_to_recordset(%(steps)s::jsonb) AS n (
    pipeline text, unit text, generation int, step text, item text, collection uuid, payload jsonb, job uuid
)
ON CONFLICT (pipeline, unit, generation, step, item) DO NOTHING
RETURNING job_id
