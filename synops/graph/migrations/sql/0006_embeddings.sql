ALTER TABLE embeddings ADD CONSTRAINT embeddings_node_fk
    FOREIGN KEY (node_id) REFERENCES nodes (id) ON DELETE CASCADE;

-- A vector of 1.5 kB is no text that compresses: without this every comparison would unpack it first.
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
