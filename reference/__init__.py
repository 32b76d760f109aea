"""The reference implementation of the handout, written to be read."""
