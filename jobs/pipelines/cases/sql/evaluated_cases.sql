-- Cases whose latest run has succeeded, in order. Index: case_files_state (state, number).
SELECT number FROM case_files WHERE state = 'succeeded' AND number > %(after)s ORDER BY number LIMIT %(most)s
