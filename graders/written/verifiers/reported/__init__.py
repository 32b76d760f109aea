"""Verifiers of numbers that a student reports; runs.py grades training runs."""
