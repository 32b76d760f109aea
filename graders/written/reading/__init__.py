"""Read an answers file into the parts of each answer; answers.py reads both formats."""
