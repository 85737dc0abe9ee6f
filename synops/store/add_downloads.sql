-- Unique index: download_counts_once (collection, node, day, app).
INSERT INTO download_counts AS old (node_id, collection_id, day, app, downloads)
SELECT node, collection, day, app, downloads
FROM jsonb_to_recordset(%(rows)s::jsonb) AS r (node uuid, collection uuid, day date, app text, downloads int)
ON CONFLICT (collection_id, node_id, day, app) DO UPDATE SET downloads = old.downloads + excluded.downloads
