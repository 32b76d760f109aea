"""Audits of reported numbers: check tables of results with arithmetic and statistics."""
