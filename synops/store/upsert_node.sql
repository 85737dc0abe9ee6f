-- Index: the primary key of nodes. An equal row is left alone, so that running a job twice raises no second event.
INSERT INTO nodes AS old (id, node_kind, title, content, metadata)
VALUES (%(id)s, %(node_kind)s, %(title)s, %(content)s, %(metadata)s::jsonb)
ON CONFLICT (id) DO UPDATE
SET node_kind = excluded.node_kind, title = excluded.title, content = excluded.content,
    metadata = excluded.metadata, updated_at = now()
WHERE (old.node_kind, old.title, old.content, old.metadata)
      IS DISTINCT FROM (excluded.node_kind, excluded.title, excluded.content, excluded.metadata)
