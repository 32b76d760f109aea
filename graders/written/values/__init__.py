"""Typed answers as values: a choice, a truth, a number, a vector or a matrix."""
