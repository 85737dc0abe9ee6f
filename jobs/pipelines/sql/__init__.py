"""The statements of the pipelines engine, one a file; each names the index that it relies on."""
