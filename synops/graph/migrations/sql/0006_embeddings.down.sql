ALTER TABLE embeddings DROP CONSTRAINT embeddings_node_fk;
