-- Has this page been clipped in this collection, under whatever address? Asked before each is fetched.
CREATE INDEX nodes_research_clip_url ON nodes USING gin ((metadata -> 'requested') jsonb_path_ops)
    WHERE node_kind = 'research_clip';

ALTER TABLE download_counts ADD CONSTRAINT download_counts_node_fk
    FOREIGN KEY (node_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE download_counts ADD CONSTRAINT download_counts_collection_fk
    FOREIGN KEY (collection_id) REFERENCES nodes (id) ON DELETE CASCADE;
