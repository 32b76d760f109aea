"""Where grading runs: one process, several, or a Ray cluster, and what this machine offers.

Start with `executors.py`: every executor is a `concurrent.futures.Executor`. `isolation.py`
chooses the sandbox, `doctor.py` reports what it found.
"""
