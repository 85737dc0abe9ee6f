-- The statement that the claim's targets were measured with, on another machine (1.2–1.9 ms): levels from memory, one
-- worker, no count of what runs, no attempts, no rules. Measured beside ours it says what this machine makes of them.
with recursive lv as materialized (
  select * from unnest(%(t)s::text[],%(p)s::smallint[],%(s)s::timestamptz[],%(room)s::int[],%(wt)s::int[],%(adj)s::int[]) x(t,p,s,room,wt,adj) where room > 0),
cand as materialized (
  select j.id, lv.t, lv.room, lv.wt, lv.p+lv.adj ep, j.scheduled_for
  from lv cross join lateral (
    select id, scheduled_for from job_queue q
    where q.job_type = lv.t and q.priority = lv.p and q.status in ('pending','retry')
      and q.scheduled_for >= lv.s and q.scheduled_for <= now()
    order by q.scheduled_for, q.id limit least(lv.room, %(n)s)) j),
c2 as materialized (select *, row_number() over (partition by t order by ep desc, scheduled_for, id) tn from cand),
ord as materialized (select c2.*, row_number() over (order by ep desc, scheduled_for, id) rn from c2 where tn <= room),
g(rn,id,taken,wleft,nleft) as (
  select 0::bigint, null::uuid, false, %(budget)s::int, %(n)s::int
  union all
  select o.rn, o.id, o.wt <= g.wleft, case when o.wt <= g.wleft then g.wleft-o.wt else g.wleft end,
         case when o.wt <= g.wleft then g.nleft-1 else g.nleft end
  from g join ord o on o.rn = g.rn+1 where g.nleft > 0 and g.wleft > 0),
lock as materialized (
  select q.id from job_queue q where q.id = any(array(select id from g where taken)) and q.status in ('pending','retry')
  for update of q skip locked)
update job_queue q set status='running', started_at=now(), attempts=attempts+1, lease=lease+1, worker_id=%(worker)s
where q.id = any(array(select id from lock)) returning q.id
