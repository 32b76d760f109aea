"""The optimized pipelines: train and evaluate the reference models, and record the results."""
