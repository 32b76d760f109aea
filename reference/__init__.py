"""The reference implementation of the assignments, written to be read."""
