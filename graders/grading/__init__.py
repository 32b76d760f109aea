"""From one submission to its Result, and batches of them.

Start with `pipeline.py`, which grades one submission; `batch.py` grades many and stores each
Result. `address.py` has the cache key: equal key, equal Result.
"""
