-- Takes an open work item that has no answer yet, for a while; nothing when somebody holds it. The row's lock makes two
-- takers one after the other, and the second then sees the first one's claim. The lease counts takers and fences what
-- they send. Index: nodes_pkey.
UPDATE nodes n
SET metadata = n.metadata || jsonb_build_object('claim', jsonb_build_object(
        'lease', coalesce((n.metadata #>> '{claim,lease}')::int, 0) + 1,
        'by', %(by)s::int, 'name', %(name)s::text, 'until', now() + make_interval(secs => %(seconds)s)))
WHERE n.id = %(id)s AND n.node_kind = 'work_item'
  AND n.metadata ->> 'status' = 'open' AND NOT n.metadata ? 'answer'
  AND coalesce((n.metadata #>> '{claim,until}')::timestamptz <= now(), true)
RETURNING (n.metadata #>> '{claim,lease}')::int, (n.metadata #>> '{claim,until}')::timestamptz
