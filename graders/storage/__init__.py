"""The results folder: the SQLite store, Results as JSON, people's decisions, and locks.

Start with `results.py`: the store, from which every other file in the folder is written. `store.py`
has the JSON of a Result, `decisions.py` the audit trail.
"""
