"""Assignments that come with Softmark: a package each, with a sub-package for each criterion.

Open `checks.py` of a criterion first: it says what must hold. See docs/assignments.md.
"""
