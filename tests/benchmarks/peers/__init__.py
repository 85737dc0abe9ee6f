"""Other job queues, one small program each, that all answer the same commands (program.py). They run in var/bench/venv."""
