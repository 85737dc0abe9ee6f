"""The JSON API: the admin's functions for programs, at the spec's paths. What is published is in `endpoints`."""
