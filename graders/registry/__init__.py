"""Find assignments and read their parts.

Start with `discovery.py`, which turns a folder with an assignment.toml into an `Assignment`.
`check_files.py` finds the files that contain a criterion's checks, and the files they import.
"""
