-- Recipes that compile, with what their plans' tools say about themselves: a run that begins asks for both.
-- Indexes: nodes_pkey, nodes_kind_created.
SELECT n.id, n.title, coalesce((n.metadata -> 'version')::int, 0), coalesce(n.metadata ->> 'language', 'nb'),
       (n.metadata -> 'compiled')::text,
       (SELECT jsonb_object_agg(t.title, t.metadata) FROM nodes t
        WHERE t.node_kind = 'cli_tool' AND coalesce(t.metadata -> 'available', 'true') <> 'false'
          AND t.title IN (SELECT tool #>> '{}' FROM jsonb_path_query(n.metadata -> 'compiled', 'lax $.**.tool') AS tool))::text
FROM nodes n
WHERE n.id = ANY(%(ids)s::uuid[]) AND n.node_kind = 'orchestration' AND n.metadata ? 'compiled'
