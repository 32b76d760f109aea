"""The optimized pipelines, which train and evaluate the reference models and record the results."""
