"""Verifiers of questions about attention; weights.py is the simplest."""
