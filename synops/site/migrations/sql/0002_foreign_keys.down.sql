ALTER TABLE api_tokens DROP CONSTRAINT api_tokens_collection_fk, DROP CONSTRAINT api_tokens_owner_fk;
