"""Prefix tuning: trained vectors before the embedded text."""
