"""Grade one submission, and batches of them.

Start with `pipeline.py`, which turns a submission into its Result; `batch.py` grades many and
stores each Result. `cache_key.py` computes the cache key: equal keys mean equal Results.
"""
