"""Softmark's code in the child process, next to student code; entry.py runs first."""
