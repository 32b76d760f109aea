"""University of Washington, assignment 2: attention from scratch and a sentiment classifier.

`mini_transformer` and `experiments` grade the attention, the packages named after SST-2 the
classifier; `sst2` contains what those share. Start with `mini_transformer/checks.py`.
"""
