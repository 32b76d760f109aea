"""Verifiers of numbers, vectors, matrices and shapes, and how they are found in an answer."""
