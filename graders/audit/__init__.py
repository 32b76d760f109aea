"""Test the graders with planted examples, whose results are known, and hostile submissions.

Start with `validate.py`, which grades an assignment's planted examples. `frozen.py` compares every
check's verdict with a file, and `attacks.py` grades the hostile submissions.
"""
