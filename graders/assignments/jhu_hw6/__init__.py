"""Johns Hopkins, homework 6: a classifier for BoolQ, tuned in full, by its head, and by a prefix.

`boolq_data`, `evaluation` and `training` grade the shared code, `full_tuning`, `head_tuning` and
`prefix_tuning` the three models; `tuning` contains what these share. Start with
`training/checks.py`.
"""
