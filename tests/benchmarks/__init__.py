"""`make bench`: what Synops can do on this machine, beside what others can, in one run on one server (docs/performance.md)."""
