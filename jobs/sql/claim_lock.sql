-- Serialises the count of what runs with the claim that follows, as a statement of its own: a lock taken inside the
-- counting statement comes after its snapshot, and limits are then exceeded (45 % of samples, measured).
-- JIT is off for this transaction: it would cost 35–40 ms a claim at a million waiting rows.
-- Without parameters, so that a worker sends it along with BEGIN (jobs/worker/lane.py).
-- The process id says whether it is still the session that the caller remembers something of (jobs/queue/claiming.py).
SELECT pg_backend_pid(), pg_advisory_xact_lock(hashtext('synops.claim')), set_config('jit', 'off', true)
