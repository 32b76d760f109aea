"""Audit reported numbers: test a table of results by arithmetic and statistics."""
