"""Prefix tuning: trained vectors in front of the embedded text."""
