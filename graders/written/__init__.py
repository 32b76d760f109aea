"""Written answers: read from a file, judged by mathematics where that is possible.

Start with `checks.py`, which judges each question of a written.toml. `reading/` finds the answers,
`verifiers/` judge them, and `free_text/` helps the person who grades the rest.
"""
