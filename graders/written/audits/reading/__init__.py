"""From an answer to the numbers it reports; runs.py and texts.py call the others."""
