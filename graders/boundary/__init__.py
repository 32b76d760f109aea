"""Run student code behind a trust boundary; a review also reads `adapting/` and `submissions/`.

Start with `student.py`, which the checks call; then `policy.py` for the limits, `tiers/sandbox.py`
for how a child starts, and `child/entry.py` and `child/worker.py` for what runs in it.
"""
