CREATE INDEX nodes_cas_hash ON nodes ((metadata ->> 'cas_hash')) WHERE metadata ? 'cas_hash';
