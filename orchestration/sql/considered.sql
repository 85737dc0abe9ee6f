-- "Why didn't it run?": one row a recipe and reason. A recipe deleted meanwhile is left out. Index: considered_once.
INSERT INTO orchestration_considered AS old (orchestration_id, reason, times, last_event_id, last_at)
SELECT c.orchestration, c.reason, c.times, c.event, now()
FROM jsonb_to_recordset(%(rows)s::jsonb) AS c (orchestration uuid, reason text, times bigint, event bigint)
WHERE EXISTS (SELECT FROM nodes n WHERE n.id = c.orchestration FOR KEY SHARE)
ORDER BY c.orchestration, c.reason
ON CONFLICT (orchestration_id, reason) DO UPDATE
SET times = old.times + excluded.times,
    last_event_id = greatest(old.last_event_id, excluded.last_event_id),
    last_at = excluded.last_at
