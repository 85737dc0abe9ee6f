"""The statements of the queue, one a file; each names the index that it relies on."""
