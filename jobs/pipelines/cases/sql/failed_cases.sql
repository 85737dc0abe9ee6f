-- Cases whose latest run has failed for good, in order. Index: case_files_state (state, number).
SELECT number FROM case_files WHERE state = 'permanently_failed' AND number > %(after)s ORDER BY number LIMIT %(most)s
