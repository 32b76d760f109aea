"""Training examples, one batch at a time."""
