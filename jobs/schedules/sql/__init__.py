"""The statements of schedules, one a file; each names the index that it relies on."""
