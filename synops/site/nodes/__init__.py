"""Pages of nodes by kind: what is heard, read and seen of them, and the jobs that fit."""
