"""Use an existing gradescope-utils suite as an assignment: the less trusted kind of checks.

Start with `checks.py`, the only check file of such an assignment; `process.py` runs the suite.
"""
