-- A piece of the dump.
INSERT INTO dump (of_table, key, document)
SELECT one.of_table, one.key, one.document
FROM jsonb_to_recordset(%(rows)s::jsonb) AS one (of_table text, key text, document jsonb)
