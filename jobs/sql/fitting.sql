-- First fit by weight, after admission.sql.
fitting (position, id, taken, weight_left, slots_left, reserved) AS (
    -- A heavy job that does not fit lets lighter ones pass, until it has waited %(reserve_after)s s and would fit an
    -- empty machine. Then the machine is reserved for it: nothing of lower rank starts here before it.
    SELECT 0::bigint, NULL::uuid, false,
           %(budget)s::bigint - coalesce((SELECT sum(weight) FROM running), 0)::bigint, %(slots)s::int, false
    UNION ALL
    SELECT o.position, o.id, o.weight <= f.weight_left,
           CASE WHEN o.weight <= f.weight_left THEN f.weight_left - o.weight ELSE f.weight_left END,
           CASE WHEN o.weight <= f.weight_left THEN f.slots_left - 1 ELSE f.slots_left END,
           o.weight > f.weight_left AND o.weight <= %(budget)s
               AND o.scheduled_for < now() - make_interval(secs => %(reserve_after)s)
    FROM fitting f JOIN ordered o ON o.position = f.position + 1
    WHERE f.slots_left > 0 AND f.weight_left > 0 AND NOT f.reserved
)
