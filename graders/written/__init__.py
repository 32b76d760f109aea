"""Grade written answers: read them from a file, and check them mathematically if possible.

Start with `checks.py`, which grades each question of a written.toml. `reading/` finds the answers,
`verifiers/` check them, and `free_text/` helps the person who grades the rest.
"""
