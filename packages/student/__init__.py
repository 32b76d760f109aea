"""A bundle with which students check their own work; bundle.py builds it."""
