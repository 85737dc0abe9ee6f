-- Index: the primary key of job_queue. Lease and worker change when the job is claimed again.
SELECT 1 FROM job_queue
WHERE id = %(job)s AND lease = %(lease)s AND worker_id = %(worker)s AND status = 'running'
FOR SHARE
