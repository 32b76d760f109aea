"""Find passages that submissions share, for staff to read; no grade depends on it.

Start with `pairs.py`, which compares all submissions. `uploads.py` reads one submission: its code
and typed answers become tokens (`tokens.py`), its other files sketches. `passages.py` fingerprints
tokens and finds the passages that two submissions share.
"""
