"""Change a correct submission: mutants, rewrites with the same meaning, and null submissions.

Start with `change.py`: every change is a `Changed`, that is, a `Change` and the files to submit.
"""
