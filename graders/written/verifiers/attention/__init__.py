"""Verifiers for questions on attention; weights.py is the simplest."""
