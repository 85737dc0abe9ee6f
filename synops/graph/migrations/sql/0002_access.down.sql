DROP TRIGGER nodes_touched ON nodes;
DROP TRIGGER access_edge_types_changed ON access_edge_types;
DROP TRIGGER nodes_access_update ON nodes;
DROP TRIGGER nodes_access_insert ON nodes;
DROP TRIGGER edges_access_delete ON edges;
DROP TRIGGER edges_access_update ON edges;
DROP TRIGGER edges_access_insert ON edges;
DROP FUNCTION nodes_touch(), access_after_type_change(), access_after_person_update(), access_after_person_insert(),
    access_after_edge_delete(), access_after_edge_update(), access_after_edge_insert(),
    access_subject(text, uuid, uuid), recompute_access(uuid[]);
DROP INDEX nodes_scheduled, nodes_live_calls;
ALTER TABLE node_access DROP CONSTRAINT node_access_node_fk, DROP CONSTRAINT node_access_user_fk;
ALTER TABLE edges DROP CONSTRAINT edges_target_fk, DROP CONSTRAINT edges_source_fk;
ALTER TABLE nodes DROP CONSTRAINT nodes_user_fk;
