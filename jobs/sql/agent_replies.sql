-- How often agents have answered lately: this agent in this conversation, and all in this collection. A reply is a job that
-- has succeeded, or one that has passed the guards and runs (its attempt has a command). Runs behind the guards' lock, so two
-- jobs can't each take the other for not yet there. Indexes: job_queue_agents, job_queue_running.
WITH reply AS (
    SELECT q.payload ->> 'communication_id' AS communication, coalesce(q.payload ->> 'agent_id', %(default)s) AS agent,
           q.completed_at
    FROM job_queue q
    WHERE q.job_type = 'agent_respond' AND q.collection_node_id = %(collection)s AND q.outcome = 'succeeded'
      AND q.completed_at > now() - make_interval(mins => greatest(%(agent_minutes)s, %(collection_minutes)s))
    UNION ALL
    SELECT q.payload ->> 'communication_id', coalesce(q.payload ->> 'agent_id', %(default)s), now()
    FROM job_queue q
    JOIN job_attempts a ON a.job_id = q.id AND a.lease = q.lease
    WHERE q.job_type = 'agent_respond' AND q.collection_node_id = %(collection)s AND q.status = 'running'
      AND q.id <> %(job)s AND a.argv IS NOT NULL
)
SELECT count(*) FILTER (WHERE lower(communication) = %(communication)s AND lower(agent) IS NOT DISTINCT FROM %(agent)s
                          AND completed_at > now() - make_interval(mins => %(agent_minutes)s)),
       count(*) FILTER (WHERE completed_at > now() - make_interval(mins => %(collection_minutes)s))
FROM reply
