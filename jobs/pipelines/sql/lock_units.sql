-- Locks the generations whose steps these jobs are, in the order of their ids: whoever changes steps takes this lock
-- first, so that fan-in is decided from rows that hold still. Indexes: pipeline_steps_job, pipeline_generations_once.
SELECT g.id FROM pipeline_generations g
WHERE g.id = ANY(ARRAY(
    SELECT DISTINCT mine.id FROM pipeline_steps s
    JOIN pipeline_generations mine USING (pipeline, unit, generation)
    WHERE s.job_id = ANY(%(jobs)s::uuid[])
))
ORDER BY g.id
FOR NO KEY UPDATE
