"""Turn an upload into a clean folder; nothing here imports what it unpacks.

Start with `receive.py`, which identifies and opens an upload; `finding.py` finds the code and the
artifacts in it, and `archives/` unpacks archives.
"""
