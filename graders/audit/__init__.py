"""Test an assignment's checks with planted examples, hostile submissions and changed solutions.

Start with `validate.py`, which grades the planted examples. `frozen.py` compares every check's
verdict with a file, and `attacks.py` grades the hostile submissions. `parts.py` runs an audit:
`changes/` generates mutants, rewrites and null submissions, `graded.py` grades them like uploads,
and `summary.py` computes the scores. The types of its report are in `graders/audited.py`.
"""
