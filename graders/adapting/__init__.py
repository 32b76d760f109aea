"""Code shared by the student sides of all assignments; it runs in the student's process.

Start with `gathered.py`, which takes a student's functions out of their files; `reading/` reads
those files and notebooks, and `offline/` replaces what needs a network.
"""
