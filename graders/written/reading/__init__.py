"""From an answers file to the parts of each answer; answers.py reads either format."""
