-- Who wrote what is to be answered (the message that is named, else the last one), and how many messages of agents stand at
-- the end of the conversation. Reads the conversation's messages once. Indexes: edges_target, nodes_pkey.
WITH message AS MATERIALIZED (
    SELECT m.id, m.created_at, m.metadata ->> 'author_id' AS author,
           coalesce(m.metadata -> 'agent' = 'true' OR lower(m.metadata ->> 'author_id') = %(agent)s, false) AS by_agent
    FROM edges e JOIN nodes m ON m.id = e.source_id
    WHERE e.target_id = %(communication)s AND e.edge_type = 'belongs_to' AND m.node_kind = 'message'
),
answered AS (
    SELECT author, by_agent FROM message
    WHERE %(message)s::uuid IS NULL OR id = %(message)s::uuid
    ORDER BY created_at DESC, id DESC LIMIT 1
)
SELECT (SELECT lower(author) FROM answered), coalesce((SELECT by_agent FROM answered), false),
       (SELECT count(*) FROM message
        WHERE by_agent AND created_at > coalesce((SELECT max(created_at) FROM message WHERE NOT by_agent), '-infinity'))
