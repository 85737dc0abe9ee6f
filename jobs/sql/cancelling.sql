-- Which of a worker's running jobs somebody wants stopped. Index: job_queue_running.
SELECT id, lease FROM job_queue
WHERE status = 'running' AND worker_id = %(worker)s AND cancel_requested_at IS NOT NULL
