"""A student's files as statements, read without running them; upload.py is the way in."""
