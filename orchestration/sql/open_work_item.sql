-- Opens a work item, or counts once more the open one with the same key. Index: nodes_open_work_items.
INSERT INTO nodes AS old (id, node_kind, title, content, metadata)
VALUES (%(id)s, 'work_item', %(title)s, %(content)s, %(metadata)s::jsonb)
ON CONFLICT ((metadata ->> 'dedupe_key')) WHERE node_kind = 'work_item' AND metadata ->> 'status' = 'open'
DO UPDATE SET
    content = excluded.content,
    metadata = old.metadata || excluded.metadata
               || jsonb_build_object('times', coalesce((old.metadata -> 'times')::int, 1) + 1)
RETURNING id, xmax = 0
