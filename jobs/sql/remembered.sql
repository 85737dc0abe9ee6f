-- What this claim leaves to the next (jobs/queue/claiming.py): its own number and the oldest that still runs, and where the
-- best level of each type begins. nextval is called under the claim lock, so numbers grow in the order of the claims.
pass AS MATERIALIZED (SELECT nextval('job_claims') AS number),
remembered AS (
    SELECT (SELECT least(min(u.oldest), (SELECT p.number FROM pass p)) FROM running u) AS floor,
           array_agg(h.job_type)::text AS types, array_agg(h.priority)::text AS priorities,
           array_agg(h.since)::text AS times, array_agg(h.since_id)::text AS ids
    FROM (
        SELECT DISTINCT ON (l.job_type) l.job_type, l.priority, l.times[1] AS since, l.ids[1] AS since_id
        FROM level l WHERE cardinality(l.ids) > 0 ORDER BY l.job_type, l.priority DESC
    ) h
)
