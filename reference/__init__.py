"""The reference implementation: what the handout asks for, written to be read."""
