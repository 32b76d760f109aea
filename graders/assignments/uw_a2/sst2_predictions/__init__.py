"""Predictions for SST-2: accuracy compared with the threshold."""
