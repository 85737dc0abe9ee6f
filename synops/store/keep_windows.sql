-- Unique index: download_windows_once. A request from before its start moves a window's start, hence `before`.
WITH told AS (
    SELECT * FROM jsonb_to_recordset(%(rows)s::jsonb)
        AS r (path text, client text, before timestamptz, started timestamptz, last timestamptz, spans jsonb, counted boolean)
), moved AS (
    DELETE FROM download_windows w USING told t
    WHERE w.path = t.path AND w.client = t.client AND w.started_at = t.before AND t.before <> t.started
)
INSERT INTO download_windows AS old (path, client, started_at, last_at, spans, counted)
SELECT path, client, started, last, spans, counted FROM told
ON CONFLICT (path, client, started_at) DO UPDATE
SET last_at = excluded.last_at, spans = excluded.spans, counted = excluded.counted
