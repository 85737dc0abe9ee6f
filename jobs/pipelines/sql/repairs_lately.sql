-- What reconciliation repaired in the last day and the last month, by kind. Index: pipeline_repairs_at.
SELECT r.kind, coalesce(sum(r.repaired) FILTER (WHERE r.created_at >= now() - interval '1 day'), 0)::int,
       sum(r.repaired)::int, max(r.created_at)
FROM pipeline_repairs r
WHERE r.created_at >= now() - interval '30 days'
GROUP BY r.kind ORDER BY max(r.created_at) DESC
