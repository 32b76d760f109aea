"""Verifiers of numbers, vectors, matrices and shapes, and how to find these in an answer."""
