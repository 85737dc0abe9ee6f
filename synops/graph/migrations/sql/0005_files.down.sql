DROP INDEX nodes_cas_hash;
