-- Moves the end of a claim that is still this holder's: further away to keep it, to now to give it back. Index: nodes_pkey.
UPDATE nodes n
SET metadata = jsonb_set(n.metadata, '{claim,until}', to_jsonb(now() + make_interval(secs => %(seconds)s)))
WHERE n.id = %(id)s AND n.node_kind = 'work_item' AND n.metadata ->> 'status' = 'open'
  AND (n.metadata #>> '{claim,lease}')::int = %(lease)s AND (n.metadata #>> '{claim,by}')::int = %(by)s
  AND NOT n.metadata ? 'answer'
RETURNING (n.metadata #>> '{claim,until}')::timestamptz
