"""Find assignments, and read what they consist of.

Start with `discovery.py`, which turns a folder with an assignment.toml into an `Assignment`.
`check_files.py` says which files hold a criterion's checks and which files those read.
"""
