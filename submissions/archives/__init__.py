"""Unpack archives that may be hostile; start with archive.py."""
