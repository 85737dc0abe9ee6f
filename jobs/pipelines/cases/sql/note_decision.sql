-- The case's decision is that of its latest run's evaluation. Indexes: case_evaluations_once (case_id, generation), primary key.
WITH found AS (
    SELECT case_id, generation, decision FROM case_evaluations
    WHERE case_id = %(number)s AND generation = %(generation)s
), noted AS (
    UPDATE case_files SET decision = found.decision, generation = found.generation
    FROM found WHERE case_files.number = found.case_id AND case_files.generation <= found.generation
)
SELECT decision FROM found
