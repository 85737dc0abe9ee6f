-- A token ends with its owner, and with the collection that it enqueues into.
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_owner_fk
    FOREIGN KEY (owner_id) REFERENCES auth_user (id) ON DELETE CASCADE;
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_collection_fk
    FOREIGN KEY (collection_id) REFERENCES nodes (id) ON DELETE CASCADE;
