-- Index: the primary key of nodes. The casts are for Django's cursor, which binds on the client's side.
UPDATE nodes
SET title = coalesce(%(title)s::text, title),
    content = coalesce(%(content)s::text, content),
    metadata = (metadata || %(set)s::jsonb) - %(removed)s::text[],
    updated_at = now()
WHERE id = %(id)s
