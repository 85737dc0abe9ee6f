-- How many jobs of the given types wait: due now, and later. Index: job_queue_claim.
SELECT count(*) FILTER (WHERE scheduled_for <= now()), count(*) FILTER (WHERE scheduled_for > now())
FROM job_queue
WHERE status IN ('pending', 'retry') AND job_type = ANY(%(types)s::text[])
