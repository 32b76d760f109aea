"""From what a student typed to plain notation; notation.py says in which order."""
