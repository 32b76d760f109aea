"""Training examples, a batch at a time."""
