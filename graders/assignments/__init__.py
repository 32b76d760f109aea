"""The assignments that come with Softmark: one package each, with a sub-package per criterion.

Open the `checks.py` of a criterion first: it contains the checks. See docs/assignments.md.
"""
