"""Predictions for BoolQ: accuracy compared with the threshold."""
