-- Unique index: download_windows_once (path, client, started_at).
SELECT w.path, w.client, w.started_at, w.last_at, w.spans::text, w.counted
FROM unnest(%(paths)s::text[], %(clients)s::text[]) AS wanted (path, client)
JOIN download_windows w ON w.path = wanted.path AND w.client = wanted.client
ORDER BY w.started_at, w.path, w.client
