"""The pages and the progress of the reference pipelines."""
