"""Audits of reported numbers: what arithmetic and statistics say of a table of results."""
