"""Prediction files: accuracy compared with thresholds, and whether the models made them."""
