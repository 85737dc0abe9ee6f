ALTER TABLE transcription_segments ADD CONSTRAINT transcription_segments_node_fk
    FOREIGN KEY (node_id) REFERENCES nodes (id) ON DELETE CASCADE;

-- Which recordings hold this file? Asked by every transcription.
CREATE INDEX nodes_media_file ON nodes ((metadata ->> 'cas_hash')) WHERE node_kind = 'media';
