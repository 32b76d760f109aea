"""The pages and the progress display of the reference pipelines."""
