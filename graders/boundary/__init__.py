"""Where student code meets ours. A review of its safety also reads `adapting/` and `submissions/`.

Start with `student.py`, which a check asks; then `policy.py` for the limits, `tiers/sandbox.py` for
how a child starts, and `child/entry.py` and `child/worker.py` for what runs in it.
"""
