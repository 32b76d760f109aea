"""Verifiers of numbers that a student reports; runs.py judges training runs."""
