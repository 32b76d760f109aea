"""Read a student's files as statements without running them; start with upload.py."""
