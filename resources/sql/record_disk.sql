-- Adds a reading and drops what is beyond the newest %(kept)s of the machine. Index: disk_status_machine.
WITH added AS (
    INSERT INTO disk_status_log (machine, path, total_bytes, used_bytes, percent, level)
    VALUES (%(machine)s, %(path)s, %(total)s, %(used)s, %(percent)s, %(level)s)
)
DELETE FROM disk_status_log
WHERE machine = %(machine)s
  AND id <= (SELECT id FROM disk_status_log WHERE machine = %(machine)s
             ORDER BY id DESC OFFSET %(kept)s - 1 LIMIT 1)
