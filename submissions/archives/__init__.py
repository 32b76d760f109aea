"""Unpack an archive that may be hostile; archive.py is the way in."""
