"""The script that trains on one split, validates on another and saves the best model."""
