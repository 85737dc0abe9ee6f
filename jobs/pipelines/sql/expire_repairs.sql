-- Index: pipeline_repairs_at.
DELETE FROM pipeline_repairs r
WHERE r.id IN (
    SELECT old.id FROM pipeline_repairs old WHERE old.created_at < now() - make_interval(days => %(days)s)
    LIMIT %(batch)s
)
