"""Test the graders with planted examples, hostile submissions and changes of correct ones.

Start with `validate.py`, which grades an assignment's planted examples. `frozen.py` compares every
check's verdict with a file, `attacks.py` grades the hostile submissions, and `parts.py` audits the
checks with mutants, rewrites and null submissions, which `changes/` makes.
"""
