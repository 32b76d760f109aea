"""Read the numbers that an answer reports; start with runs.py and texts.py."""
