"""The app of the benchmark's job: it appends 16 bytes to a file, as every system's job here does."""
