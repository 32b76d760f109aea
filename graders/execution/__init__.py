"""Run gradings in one process, in several, or on a Ray cluster, and examine this machine.

Start with `executors.py`: every executor is a `concurrent.futures.Executor`. `isolation.py`
chooses the sandbox, `doctor.py` reports what it found.
"""
