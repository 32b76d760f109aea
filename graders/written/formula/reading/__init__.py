"""Turn what a student typed into plain notation; notation.py defines the order of the steps."""
