-- Live calls, and flags older than the limit. Index: nodes_live_calls.
SELECT count(*) FILTER (WHERE updated_at >= now() - make_interval(hours => %(max_hours)s)),
       count(*) FILTER (WHERE updated_at < now() - make_interval(hours => %(max_hours)s))
FROM nodes
WHERE node_kind = 'communication' AND metadata ->> 'livekit_active' = 'true'
