"""The statements about workers, disk and calls, one a file."""
