-- Runs in the bulk lane that have not ended. Index: pipeline_generations_state (pipeline, state, id).
SELECT count(*) FROM pipeline_generations WHERE pipeline = 'cases' AND state = 'running' AND cause = 'bulk'
