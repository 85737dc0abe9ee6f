-- Superseded runs of units; their steps go with them. Reads the whole table, once an hour: it has a row a run, not a step.
DELETE FROM pipeline_generations g
WHERE g.id IN (
    SELECT old.id FROM pipeline_generations old
    WHERE old.state = 'superseded' AND old.finished_at < now() - make_interval(days => %(days)s)
    LIMIT %(batch)s
)
