"""Predictions for BoolQ: their accuracy against the threshold."""
